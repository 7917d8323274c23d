/** Receives the log lines of a worker; `console` is one. */
export interface Logger {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

export const SILENT: Logger = { info: () => {}, warn: () => {}, error: () => {} };

export type Availability = ReturnType<typeof createAvailability>;

/** Logs each outage of the fleet twice: when it begins and when it ends. */
export function createAvailability(url: string, logger: Logger) {
  let unavailableSince: number | undefined;
  return {
    unavailable(reason: string): void {
      if (unavailableSince !== undefined) return;
      unavailableSince = performance.now();
      logger.warn(`The fleet at ${url} is unavailable (${reason}); retrying`);
    },
    available(): void {
      if (unavailableSince === undefined) return;
      const seconds = (performance.now() - unavailableSince) / 1000;
      unavailableSince = undefined;
      logger.info(`The fleet is available again after ${seconds.toFixed(1)} s`);
    },
  };
}
