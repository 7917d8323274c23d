import { ConfigError } from './config.ts';

/** What a process runs. */
export interface Closable {
  close(): Promise<void>;
}

/** Above the server's own deadline of 20 s, below the 25 s after which a container is killed. */
const FORCED_EXIT_MS = 23_000;

/** Why a service does not start, where its message says all that a person needs. */
export class StartError extends Error {
  override name = 'StartError';
}

/**
 * Runs a service as this process: a bad configuration or a failed start is one line a fault, told to `report` (standard
 * error), and exit code 1; SIGTERM and SIGINT close it and exit 0, so does what this resolves with; an unhandled
 * rejection ends the process, as Node does by default.
 */
export async function runService(start: () => Promise<Closable>, report = toStandardError): Promise<() => void> {
  try {
    const service = await start();
    let stopping = false;
    // A signal may come twice: to the whole process group, and from the parent that has got it too.
    const stopOnce = () => {
      if (!stopping) void stop(service);
      stopping = true;
    };
    process.on('SIGTERM', stopOnce);
    process.on('SIGINT', stopOnce);
    return stopOnce;
  } catch (error) {
    await report(describe(error));
    process.exit(1);
  }
}

async function toStandardError(lines: string): Promise<void> {
  process.stderr.write(`${lines}\n`);
}

async function stop(service: Closable): Promise<void> {
  setTimeout(() => process.exit(1), FORCED_EXIT_MS).unref();
  await service.close();
  process.exit(0);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof ConfigError || error instanceof StartError || 'syscall' in error) return error.message;
  return error.stack ?? error.message;
}
