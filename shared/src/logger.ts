import { type DestinationStream, type Logger, pino } from 'pino';

/** pino's: fields first, then a constant message. */
export type { Logger } from 'pino';

/** JSON lines on standard output: fields first, constant message; never bodies, never credentials. */
export function createLogger(service: string, level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return destination ? pino(options, destination) : pino(options);
}
