import { setGlobalProxyFromEnv } from 'node:http';
import { run } from './run.ts';

// A reader such as `head` that has enough is no error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0);
    throw error;
  });
}

if (Object.keys(process.env).some((name) => /^https?_proxy$/i.test(name))) setGlobalProxyFromEnv(process.env);

process.exitCode = await run(process.argv.slice(2), process);
// Open connections and timers of an aborted command must not keep the process.
if (process.stdout.writableLength === 0) process.exit();
process.stdout.once('drain', () => process.exit());
