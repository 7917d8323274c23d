import { EventEmitter, once } from 'node:events';
import { type DestinationStream, type Logger, pino } from 'pino';

/** pino's: fields first, then a constant message. */
export type { Logger } from 'pino';

/** ioredis has errors in errors, and in lists of errors. */
const MAX_NESTED = 4;

/** Logs JSON lines to standard output: fields first, constant message; never bodies or credentials. */
export function createLogger(service: string, level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { service },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: toLoggedError },
  };
  return destination ? pino(options, destination) : pino(options);
}

/** Without the arguments of Redis commands, which ioredis adds: they may be bodies or hashes of passwords. */
function toLoggedError(error: unknown): unknown {
  return error instanceof Error ? withoutArguments(pino.stdSerializers.err(error), MAX_NESTED) : error;
}

/** Of an error, and of those in it. */
function withoutArguments(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null || levels === 0) return value;
  if (Array.isArray(value)) return value.map((part) => withoutArguments(part, levels - 1));
  if (!('stack' in value)) return value;
  const fields = Object.entries(value).map(([name, field]): [string, unknown] => {
    return [name, name === 'command' ? (field as { name?: string }).name : withoutArguments(field, levels - 1)];
  });
  return Object.fromEntries(fields);
}

/**
 * Resolves when the operating system has the lines that were just logged: pino writes to standard output later, and a
 * process that is killed loses what it holds until then. Call it in the same turn as the last line.
 *
 * @throws when nobody reads them for `timeoutMs`, or when standard output is closed
 */
export async function untilWritten(logger: Logger, timeoutMs: number): Promise<void> {
  const stream = (logger as unknown as Record<symbol, unknown>)[pino.symbols.streamSym];
  // Another destination than pino's own has each line at once.
  if (!(stream instanceof EventEmitter) || !('flushSync' in stream)) return;
  await once(stream, 'drain', { signal: AbortSignal.timeout(timeoutMs) });
}
