import { availableParallelism } from 'node:os';
import type { Figures } from '../load/load.ts';
import { alternate } from '../load/rounds.ts';
import type { Front } from './front.ts';

const SECONDS = 2;
const ROUNDS = 7;
/** Two for the gateway, one each for the load generator and the upstream. */
export const CORES_NEEDED = 4;

export interface ProcessResults {
  cores: number;
  one: Figures;
  two: Figures;
}

/** How much faster are two gateway processes than one, on one port? */
export async function measureProcesses(front: Front): Promise<ProcessResults> {
  const ports = {
    one: await front.startGateway('one-process', 'quick'),
    two: await front.startGateway('two-processes', 'quick', { GATEWAY_PROCESSES: '2' }),
  };
  const contestants = (['one', 'two'] as const).map((name) => ({
    name,
    run: () => front.generator.load({ port: ports[name], requests: [front.requests.small], seconds: SECONDS }),
  }));
  const { one, two } = Object.fromEntries(await alternate(contestants, ROUNDS));
  if (!one || !two) throw new Error('There are no figures');
  return { cores: availableParallelism(), one, two };
}
