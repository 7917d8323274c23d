import { EXIT } from './errors.ts';
import { run } from './run.ts';
import { useProxy } from './settings/proxy.ts';

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    // A reader such as `head` that has enough is no error; a full disk is.
    if (code !== 'EPIPE' && stream === process.stdout) process.stderr.write(`Error: ${message}\n`);
    process.exit(code === 'EPIPE' ? EXIT.ok : EXIT.failed);
  });
}

await useProxy(process.env);
const exitCode = await run(process.argv.slice(2), process);
// Connections and timers of an aborted command must not keep the process. First, what was printed goes out, or fails.
process.stdout.write('', () => process.stderr.write('', () => setImmediate(() => process.exit(exitCode))));
