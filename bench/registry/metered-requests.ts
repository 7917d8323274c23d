import type { Figures, LoadRequest } from '../load/load.ts';
import { alternate } from '../load/rounds.ts';
import type { RegistryStage } from './registry-stage.ts';

/** `perCoreSecond`: requests per second of processor time of the gateway and the service together. */
export type PageFigures = Figures & { perCoreSecond: number };

export interface Rounds {
  rounds: number;
  seconds: number;
}

/** Loads the gateway with each kind of requests in alternating rounds. */
export async function meterRequests<Kind extends string>(
  { stage, generator, ports }: RegistryStage,
  requests: Record<Kind, LoadRequest[]>,
  { rounds, seconds }: Rounds,
): Promise<Map<Kind, PageFigures>> {
  const processorSeconds = async () =>
    (await stage.processorSeconds('gateway')) + (await stage.processorSeconds('registry'));

  async function load(kind: Kind): Promise<PageFigures> {
    const before = await processorSeconds();
    const figures = await generator.load({ port: ports.gateway, requests: requests[kind], seconds });
    return { ...figures, perCoreSecond: figures.requests / ((await processorSeconds()) - before) };
  }
  const kinds = Object.keys(requests) as Kind[];
  return await alternate(
    kinds.map((name) => ({ name, run: () => load(name) })),
    rounds,
  );
}
