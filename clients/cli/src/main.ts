import { EXIT } from './errors.ts';
import { run } from './run.ts';

const PROXY = /^(https?|all)_proxy$/i;
/** A fleet of this machine is never behind a proxy. */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Has `fetch` use HTTP_PROXY and HTTPS_PROXY, except for the hosts of NO_PROXY and this machine. */
async function useProxy(env: NodeJS.ProcessEnv): Promise<void> {
  if (!Object.entries(env).some(([name, value]) => PROXY.test(name) && value)) return;
  const without = [env.no_proxy ?? env.NO_PROXY ?? '', ...LOOPBACK].filter(Boolean).join(',');
  // Most commands need no `node:http`: loading it costs 20 MB.
  const http = await import('node:http');
  if (typeof http.setGlobalProxyFromEnv === 'function') {
    http.setGlobalProxyFromEnv({ ...env, no_proxy: without, NO_PROXY: without });
  } else if (process.stderr.isTTY) {
    process.stderr.write(`Node ${process.version} has no proxies: HTTP_PROXY and HTTPS_PROXY are ignored\n`);
  }
}

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
