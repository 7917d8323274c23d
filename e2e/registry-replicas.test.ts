import { setTimeout as sleep } from 'node:timers/promises';
import { portProblem } from '@agent-fleet/scripts/local/ports';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { HAS_HANDS, sayWhatIsLeftOut } from './harness/system.ts';
import { RegistryReplicas } from './replicas/registry-replicas.ts';

const ADDRESSES = ['127.0.0.2', '127.0.0.3', '127.0.0.4'] as const;
const REFRESH_SECONDS = 2;
const PAUSED_MS = 10_000;
const TEST_TIMEOUT_MS = 240_000;

/** All of 127/8 is the machine itself on Linux; elsewhere only 127.0.0.1 is. */
const HAS_ADDRESSES = (await portProblem(0, ADDRESSES[2])) === undefined;

if (HAS_HANDS && HAS_ADDRESSES) describe('Three replicas of the registry behind a gateway', specifyReplicas);
else {
  sayWhatIsLeftOut('three replicas of the registry');
  test('this system has no addresses for replicas', () => expect(HAS_HANDS && HAS_ADDRESSES).toBe(false));
}

function specifyReplicas(): void {
  let fleet: RegistryReplicas;

  beforeAll(async () => {
    fleet = await RegistryReplicas.start(ADDRESSES, 50, REFRESH_SECONDS);
  }, TEST_TIMEOUT_MS);
  afterAll(() => fleet.close(), TEST_TIMEOUT_MS);

  test('serve the same snapshot with the same entity tags', async () => {
    expect(new Set((await fleet.statuses()).map(({ snapshot_id }) => snapshot_id)).size).toBe(1);
    const tags = new Set<string | null>();
    for (let at = 0; at < 30; at++) tags.add((await fleet.read('/api/skills')).headers.get('etag'));
    expect(tags.size).toBe(1);
  });

  test(
    'share one upstream request per refresh',
    async () => {
      const [before, began] = [fleet.requests, Date.now()];
      await sleep(3 * REFRESH_SECONDS * 1_000);
      // Three that do not share would ask three times as often.
      const rounds = (Date.now() - began) / 1_000 / REFRESH_SECONDS;
      expect(fleet.requests - before).toBeGreaterThan(0);
      expect(fleet.requests - before).toBeLessThanOrEqual(rounds + 1);
    },
    TEST_TIMEOUT_MS,
  );

  test(
    'switch to a new snapshot together under reads without a failed read',
    async () => {
      const reads = readOn(fleet);
      fleet.serve(60);
      await fleet.untilAllServe(60);
      await sleep(500);
      const { failed, totals } = await reads.stop();
      expect(failed).toEqual([]);
      expect(new Set(totals)).toEqual(new Set(['50', '60']));
      // From the first new answer on the old ones end: the replicas switch within the time of a message, not of a build
      // or a poll.
      const firstNew = totals.indexOf('60');
      const lateOld = totals.slice(firstNew).filter((total) => total === '50').length;
      expect(lateOld).toBeLessThan(totals.length / 4);
      expect(new Set((await fleet.statuses()).map(({ snapshot_id }) => snapshot_id)).size).toBe(1);
    },
    TEST_TIMEOUT_MS,
  );

  test(
    'keep serving while one is killed by SIGKILL, and agree after its restart',
    async () => {
      const [killed, ...others] = fleet.replicas;
      const reads = readOn(fleet);
      fleet.serve(70);
      await killed?.kill();
      await fleet.untilAllServe(70, others);
      await killed?.start();
      await fleet.untilAllServe(70);
      expect((await reads.stop()).failed).toEqual([]);
    },
    TEST_TIMEOUT_MS,
  );

  test(
    'refresh without a paused replica, which catches up when it continues',
    async () => {
      const [paused, ...others] = fleet.replicas;
      const reads = readOn(fleet);
      await paused?.whilePaused(async () => {
        fleet.serve(80);
        await Promise.all([fleet.untilAllServe(80, others), sleep(PAUSED_MS)]);
      });
      await fleet.untilAllServe(80);
      expect((await reads.stop()).failed).toEqual([]);
    },
    TEST_TIMEOUT_MS,
  );
}

/** Reads through the gateway, one after another, until it is stopped. */
function readOn(fleet: RegistryReplicas) {
  const failed: string[] = [];
  const totals: string[] = [];
  let isStopped = false;
  const done = (async () => {
    while (!isStopped) {
      try {
        const answer = await fleet.read('/api/skills?limit=5');
        await answer.json();
        if (!answer.ok) failed.push(String(answer.status));
        else totals.push(answer.headers.get('x-total-count') ?? '');
      } catch (error) {
        failed.push(String(error));
      }
    }
  })();
  return {
    async stop() {
      isStopped = true;
      await done;
      return { failed, totals };
    },
  };
}
