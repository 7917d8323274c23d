import { setTimeout as sleep } from 'node:timers/promises';
import type { LocalFleet } from '../harness/local-fleet.ts';
import type { Gateways } from './gateways.ts';
import type { Random } from './random.ts';

const PAUSE_MS = { min: 1_500, max: 4_000 };
const DOWN_MS = { min: 200, max: 2_000 };
const PAUSED_MS = { min: 500, max: 3_500 };

/** Kills and restarts gateways, replicas of identity and Redis, and pauses gateways, one after the other. */
export async function failRandomly(
  fleet: LocalFleet,
  gateways: Gateways,
  random: Random,
  untilMs: number,
): Promise<Record<string, number>> {
  const between = ({ min, max }: { min: number; max: number }) => min + random.below(max - min);
  const identities = [fleet.services.identity, ...fleet.replicas];
  const counts = { gateway: 0, identity: 0, redis: 0, pause: 0 };
  // In rounds, so that even a short run has each.
  let round: (keyof typeof counts)[] = [];
  while (performance.now() < untilMs) {
    await sleep(between(PAUSE_MS));
    if (round.length === 0) round = ['gateway', 'identity', 'redis', 'pause'];
    const victim = round.splice(random.below(round.length), 1)[0] as keyof typeof counts;
    const at = random.below(fleet.gateways.length);
    counts[victim]++;
    if (victim === 'gateway') {
      gateways.setDown(at, true);
      await fleet.gateways[at]?.kill();
      await sleep(between(DOWN_MS));
      await fleet.gateways[at]?.start();
      gateways.setDown(at, false);
    } else if (victim === 'identity') {
      const replica = identities[random.below(identities.length)];
      await replica?.kill();
      await sleep(between(DOWN_MS));
      await replica?.start();
    } else if (victim === 'redis') {
      const outage = { fromMs: performance.now(), toMs: Number.POSITIVE_INFINITY };
      gateways.outages.push(outage);
      await fleet.redis?.kill();
      await sleep(between(DOWN_MS));
      await fleet.redis?.restart();
      outage.toMs = performance.now();
    } else {
      await fleet.gateways[at]?.whilePaused(() => sleep(between(PAUSED_MS)));
    }
  }
  return counts;
}
