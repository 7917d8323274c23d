import { type DestinationStream, type Logger, pino } from 'pino';

/** pino's: fields first, then a constant message. */
export type { Logger } from 'pino';

/** JSON lines on standard output: fields first, constant message; never bodies, never credentials. */
export function createLogger(service: string, level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { service },
    timestamp: () => timeField(Date.now()),
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return destination ? pino(options, destination) : pino(options);
}

let second = 0;
let untilMilliseconds = '';

/**
 * A time in ISO 8601, as pino wants it. Its own `isoTime` makes a `Date` for each line, which is half the cost of a
 * line.
 */
export function timeField(timeMs: number): string {
  const milliseconds = timeMs % 1_000;
  if (timeMs - milliseconds !== second) {
    second = timeMs - milliseconds;
    untilMilliseconds = new Date(second).toISOString().slice(0, -4);
  }
  return `,"time":"${untilMilliseconds}${String(milliseconds).padStart(3, '0')}Z"`;
}
