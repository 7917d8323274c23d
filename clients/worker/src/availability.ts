/** Where a worker tells what happens; `console` is one. */
export interface Logger {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

export const SILENT: Logger = { info: () => {}, warn: () => {}, error: () => {} };

/** Says once that the fleet is away, and once that it is back. */
export interface Availability {
  away(reason: string): void;
  here(): void;
}

export function createAvailability(url: string, logger: Logger): Availability {
  let awaySince: number | undefined;
  return {
    away(reason) {
      if (awaySince !== undefined) return;
      awaySince = performance.now();
      logger.warn(`The fleet at ${url} is away (${reason}); trying until it is back`);
    },
    here() {
      if (awaySince === undefined) return;
      const seconds = (performance.now() - awaySince) / 1000;
      awaySince = undefined;
      logger.info(`The fleet is back after ${seconds.toFixed(1)} s`);
    },
  };
}
