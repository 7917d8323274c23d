import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisClient } from '@agent-fleet/shared/redis/connection';

/** Load balancers ask twice a second each. */
const KEPT_MS = 500;
const DEADLINE_MS = 1_000;
/** For descriptions of services that have just come up. */
const DOCUMENTS_DEADLINE_MS = 500;

/** What readiness rests on. */
export interface Dependencies {
  redis: RedisClient;
  firstUser: { readonly ready: boolean };
  /** Each tells `ok` or what is wrong. */
  upstreams: Record<string, { ready(): Promise<string> }>;
  documents: { refreshMissing(): Promise<void> };
}

/** The state of each dependency, `ok` or what is wrong; asked at most twice a second, each with a deadline of a second. */
export function createReadinessCheck(dependencies: Dependencies): () => Promise<Record<string, string>> {
  let kept: Promise<Record<string, string>> | undefined;
  let askedAtMs = 0;
  return () => {
    const nowMs = performance.now();
    if (!kept || nowMs - askedAtMs > KEPT_MS) {
      askedAtMs = nowMs;
      kept = askAll(dependencies);
    }
    return kept;
  };
}

async function askAll({ redis, firstUser, upstreams, documents }: Dependencies): Promise<Record<string, string>> {
  const names = Object.keys(upstreams);
  const states = await Promise.all([
    withDeadline(askRedis(redis, firstUser)),
    ...Object.values(upstreams).map((upstream) => withDeadline(upstream.ready())),
  ]);
  // So that the description of a service is there when the gateway is said to be ready, if it can be had.
  await Promise.race([documents.refreshMissing(), sleep(DOCUMENTS_DEADLINE_MS, undefined, { ref: false })]);
  return Object.fromEntries(['redis', ...names].map((name, at) => [name, states[at] as string]));
}

async function askRedis(redis: RedisClient, firstUser: { readonly ready: boolean }): Promise<string> {
  await redis.ping();
  return firstUser.ready ? 'ok' : 'first user not added yet';
}

function withDeadline(state: Promise<string>): Promise<string> {
  return Promise.race([state.catch(() => 'away'), sleep(DEADLINE_MS, 'silent', { ref: false })]);
}
