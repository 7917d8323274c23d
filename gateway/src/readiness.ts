import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenStore } from '@agent-fleet/shared/redis/store';

/** Each load balancer checks twice a second. */
const KEPT_MS = 500;
const DEADLINE_MS = 1_000;

/** What readiness depends on. */
interface Dependencies {
  store: Pick<OpenStore, 'isReady' | 'reader'>;
  /** Followed from position 1 on: an event stream that began before would end then. */
  changes: { readonly position: number };
  /** Each reports `ok` or the problem. */
  upstreams: Record<string, { ready(): Promise<string> }>;
}

/** The state of each dependency, `ok` or the problem; checked at most twice a second, with a deadline of one second. */
export function createReadinessCheck(dependencies: Dependencies): () => Promise<Record<string, string>> {
  let kept: Promise<Record<string, string>> | undefined;
  let checkedAtMs = 0;
  return () => {
    const nowMs = performance.now();
    if (!kept || nowMs - checkedAtMs > KEPT_MS) {
      checkedAtMs = nowMs;
      kept = checkAll(dependencies);
    }
    return kept;
  };
}

async function checkAll({ store, changes, upstreams }: Dependencies): Promise<Record<string, string>> {
  // A read would wait for the connection.
  const isUsable = store.isReady() && changes.position > 0;
  const redisState = isUsable ? store.reader.ping().then(() => 'ok') : Promise.resolve('unavailable');
  const checks = Object.entries(upstreams).map(([name, upstream]) => [name, upstream.ready()] as const);
  const timeout = sleep(DEADLINE_MS, 'timeout', { ref: false });
  const states = await Promise.all(
    [['redis', redisState] as const, ...checks].map(async ([name, state]) => {
      return [name, await Promise.race([state.catch(() => 'unavailable'), timeout])];
    }),
  );
  return Object.fromEntries(states);
}
