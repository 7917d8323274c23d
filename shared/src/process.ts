import { ConfigError } from './config.ts';

interface Closable {
  close(): Promise<void>;
}

/** Above the server's own deadline of 20 s, below the 25 s after which a container is killed. */
const FORCED_EXIT_MS = 23_000;

/**
 * Runs a service as this process: a bad configuration or a failed start is one line a fault on standard error and exit code 1; SIGTERM
 * and SIGINT close it and exit 0; an unhandled rejection ends the process, as Node does by default.
 */
export async function runService(start: () => Promise<Closable>): Promise<void> {
  try {
    const service = await start();
    process.once('SIGTERM', () => void stop(service));
    process.once('SIGINT', () => void stop(service));
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`);
    process.exit(1);
  }
}

async function stop(service: Closable): Promise<void> {
  setTimeout(() => process.exit(1), FORCED_EXIT_MS).unref();
  await service.close();
  process.exit(0);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof ConfigError || 'syscall' in error) return error.message;
  return error.stack ?? error.message;
}
