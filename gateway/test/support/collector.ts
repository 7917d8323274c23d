import { own } from '@agent-fleet/scripts/testing/own';
import { Collector } from '@agent-fleet/shared/testing/collector';

/** Starts an OpenTelemetry collector that ends with the test. */
export async function startCollector(port?: number): Promise<Collector> {
  const collector = await new Collector().listen(port);
  own(() => collector.close());
  return collector;
}
