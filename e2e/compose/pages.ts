import { setTimeout as sleep } from 'node:timers/promises';
import { PAUSE_MS, type Scene } from './under-load.ts';

/** The browser and the first page take a while. */
const STARTED_MS = 15_000;

/** Kills each gateway in turn, so that also the one is hit that sends the events of a page. */
export async function killEachGateway({ stack, scale }: Scene): Promise<string> {
  const gateways = await stack.replicas('gateway');
  await sleep(STARTED_MS);
  for (const gateway of gateways) {
    await stack.kill(gateway);
    await stack.waitHealthy('gateway', scale.gateway ?? 1);
    await sleep(PAUSE_MS);
  }
  return `${gateways.length} gateways killed`;
}
