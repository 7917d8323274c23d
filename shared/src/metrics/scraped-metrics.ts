import { Counter, Gauge, type GaugeConfiguration, type Registry } from 'prom-client';

type Labels = Record<string, string>;

/** The current values of a metric: one number, one for each set of labels, or undefined for none. */
type Values = number | Iterable<readonly [Labels, number]> | undefined;

interface ScrapedMetric extends Pick<GaugeConfiguration<string>, 'name' | 'help' | 'labelNames'> {
  read(): Values | Promise<Values>;
}

/** Registers a counter whose values are read at each scrape: a request only increments a number. */
export function exposeCounter(registry: Registry, metric: ScrapedMetric): void {
  new Counter(toConfiguration(registry, metric));
}

/** Registers a gauge whose values are read at each scrape. */
export function exposeGauge(registry: Registry, metric: ScrapedMetric): void {
  new Gauge(toConfiguration(registry, metric));
}

function toConfiguration(registry: Registry, { read, ...about }: ScrapedMetric) {
  return {
    ...about,
    registers: [registry],
    async collect(this: Counter | Gauge) {
      const values = await read();
      this.reset();
      if (typeof values === 'number') this.inc({}, values);
      // `reset` sets a metric without labels to 0.
      else if (!about.labelNames) this.remove();
      else for (const [labels, value] of values ?? []) this.inc(labels, value);
    },
  };
}
