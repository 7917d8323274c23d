import { type DestinationStream, type Logger, pino } from 'pino';

/** pino's: fields first, then a constant message. */
export type { Logger } from 'pino';

/** Logs JSON lines to standard output: fields first, constant message; never bodies or credentials. */
export function createLogger(service: string, level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { service },
    timestamp: () => `,"time":"${new Date(fixedTimeMs ?? Date.now()).toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return destination ? pino(options, destination) : pino(options);
}

let fixedTimeMs: number | undefined;

/** Calls `log`; its lines get this time. */
export function logAt(timeMs: number, log: () => void): void {
  fixedTimeMs = timeMs;
  log();
  fixedTimeMs = undefined;
}
