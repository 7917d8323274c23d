import { type DestinationStream, type Logger, pino } from 'pino';

/** pino's: fields first, then a constant message. */
export type { Logger } from 'pino';

/** Logs JSON lines to standard output: fields first, constant message; never bodies or credentials. */
export function createLogger(service: string, level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { service },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return destination ? pino(options, destination) : pino(options);
}
