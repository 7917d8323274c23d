import { ConfigError } from './config.ts';

/** A running service. */
export interface Closable {
  close(): Promise<void>;
}

/** Longer than the server's own deadline of 20 s, shorter than the 25 s after which a container is killed. */
const FORCED_EXIT_MS = 23_000;

/** An error at start whose message alone explains the problem. */
export class StartError extends Error {
  override name = 'StartError';
}

/**
 * Runs a service as this process. An invalid configuration or a failed start writes one line per problem to standard
 * error and exits with 1. SIGTERM and SIGINT call `close`, unless it is still starting, and exit with 0. An unhandled
 * rejection ends the process, as is Node's default.
 */
export async function runService(start: () => Promise<Closable>): Promise<void> {
  let service: Closable | undefined;
  let stopping = false;
  // A signal may arrive twice: from the terminal, which signals the whole process group, and from the parent.
  const stopOnce = () => {
    if (!stopping) void stop(service);
    stopping = true;
  };
  // Before the start, which may wait for Redis: as the first process of a container, one without handlers ignores them.
  process.on('SIGTERM', stopOnce);
  process.on('SIGINT', stopOnce);
  try {
    service = await start();
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`);
    process.exit(1);
  }
}

async function stop(service: Closable | undefined): Promise<void> {
  setTimeout(() => process.exit(1), FORCED_EXIT_MS).unref();
  await service?.close();
  process.exit(0);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof ConfigError || error instanceof StartError || 'syscall' in error) return error.message;
  return error.stack ?? error.message;
}
