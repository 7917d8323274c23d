import { Counter, Gauge, type GaugeConfiguration, type Registry } from 'prom-client';

type Labels = Record<string, string>;

/** The current values of a metric: one number, or one for each set of labels. */
type Values = number | Iterable<readonly [Labels, number]>;

interface ScrapedMetric extends Pick<GaugeConfiguration<string>, 'name' | 'help' | 'labelNames' | 'aggregator'> {
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
      for (const [labels, value] of typeof values === 'number' ? [[{}, values] as const] : values)
        this.inc(labels, value);
    },
  };
}
