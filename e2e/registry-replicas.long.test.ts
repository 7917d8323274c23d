import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { portProblem } from '@agent-fleet/scripts/local/ports';
import { serveUntilEnd } from '@agent-fleet/scripts/testing/serve-until-end';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { INTERNAL_TOKEN, LocalFleet } from './harness/local-fleet.ts';
import type { LocalProcess } from './harness/local-process.ts';
import { CONTROLS_PROCESSES, logOmittedTests } from './harness/system.ts';

/** A reserved name (RFC 2606). */
const HOST_NAME = 'registry.test';
const ADDRESSES = ['127.0.0.2', '127.0.0.3', '127.0.0.4'] as const;
const REFRESH_SECONDS = 2;
const PAUSED_MS = 10_000;
const READY_TIMEOUT_MS = 90_000;
jest.setTimeout(240_000);

/** On Linux all of 127/8 is this machine; elsewhere only 127.0.0.1 is. */
const HAS_ADDRESSES = (await portProblem(0, ADDRESSES[2])) === undefined;

if (CONTROLS_PROCESSES && HAS_ADDRESSES) describe('Three replicas of the registry behind a gateway', specifyReplicas);
else {
  logOmittedTests('three replicas of the registry');
  test('this system has no addresses for replicas', () => expect(CONTROLS_PROCESSES && HAS_ADDRESSES).toBe(false));
}

interface Status {
  snapshot_id: string;
  counts: { skills: number };
}

function specifyReplicas(): void {
  let requests = 0;
  let body = '';
  let fleet: LocalFleet;
  let replicas: LocalProcess[];

  beforeAll(async () => {
    const upstream = await serveUntilEnd((_req, res) => {
      requests++;
      res.setHeader('content-type', 'application/json').end(body);
    });
    serve(50);
    const [first, ...others] = ADDRESSES;
    const source = `${upstream}/registry.json`;
    fleet = await LocalFleet.start({
      nodeArgs: ['--import', fileURLToPath(new URL('./harness/host-names.ts', import.meta.url))],
      hostNames: { registry: HOST_NAME },
      replicas: { registry: others },
      env: {
        registry: { HOST: first, REGISTRY_SOURCE_URL: source, REGISTRY_REFRESH_SECONDS: String(REFRESH_SECONDS) },
        gateway: { E2E_HOST_NAMES: JSON.stringify({ [HOST_NAME]: ADDRESSES }) },
      },
    });
    replicas = [fleet.services.registry, ...fleet.replicas];
    await untilAllServe(50);
  });
  afterAll(() => fleet.close());

  /** Upstream serves `count` skills from now on. */
  function serve(count: number): void {
    const toSkill = (_: unknown, at: number) => ({ name: `skill-${at}`, description: `Skill ${at} of this test.` });
    body = JSON.stringify({ skills: Array.from({ length: count }, toSkill) });
  }

  const read = (path: string) => fetch(`${fleet.baseUrl}${path}`);

  /** Reads the status of each replica directly, without the gateway. */
  function readStatuses(of = replicas): Promise<Status[]> {
    const headers = { 'x-fleet-internal-token': INTERNAL_TOKEN };
    return Promise.all(
      of.map(async ({ url }) => (await fetch(`${url}/api/registry/status`, { headers })).json() as Promise<Status>),
    );
  }

  async function untilAllServe(count: number, of = replicas): Promise<void> {
    await until(() => readStatuses(of), {
      message: `all replicas have ${count} skills`,
      timeoutMs: READY_TIMEOUT_MS,
      holds: (statuses) => statuses.every(({ counts }) => counts.skills === count),
    });
  }

  /** Reads in sequence through the gateway during a change, and returns the totals. @throws if a read fails */
  async function readDuring(change: () => Promise<unknown>): Promise<(string | null)[]> {
    const totals: (string | null)[] = [];
    let isOver = false;
    const changed = change().finally(() => {
      isOver = true;
    });
    const reads = async () => {
      while (!isOver) {
        const response = await read('/api/skills?limit=5');
        expect([response.status, await response.json()]).toEqual([200, expect.any(Array)]);
        totals.push(response.headers.get('x-total-count'));
      }
    };
    await Promise.all([changed, reads()]);
    return totals;
  }

  async function expectOneSnapshot(): Promise<void> {
    expect(new Set((await readStatuses()).map(({ snapshot_id }) => snapshot_id)).size).toBe(1);
  }

  test('serve the same snapshot with the same entity tags', async () => {
    await expectOneSnapshot();
    const tags = new Set<string | null>();
    for (let at = 0; at < 30; at++) tags.add((await read('/api/skills')).headers.get('etag'));
    expect(tags.size).toBe(1);
  });

  test('share one upstream request per refresh', async () => {
    const [before, began] = [requests, Date.now()];
    await sleep(3 * REFRESH_SECONDS * 1_000);
    // Three independent replicas would send three times as many requests.
    const rounds = (Date.now() - began) / 1_000 / REFRESH_SECONDS;
    expect(requests - before).toBeGreaterThan(0);
    expect(requests - before).toBeLessThanOrEqual(rounds + 1);
  });

  test('switch to a new snapshot together under reads without a failed read', async () => {
    const totals = await readDuring(async () => {
      serve(60);
      await untilAllServe(60);
      await sleep(500);
    });
    expect(new Set(totals)).toEqual(new Set(['50', '60']));
    // The replicas switch within the time of a message, which is shorter than a build or a poll.
    const lateOld = totals.slice(totals.indexOf('60')).filter((total) => total === '50').length;
    expect(lateOld).toBeLessThan(totals.length / 4);
    await expectOneSnapshot();
  });

  test('keep serving while one is killed by SIGKILL, and agree after its restart', () =>
    readDuring(async () => {
      const [killed, ...others] = replicas;
      serve(70);
      await killed?.kill();
      await untilAllServe(70, others);
      await killed?.start();
      await untilAllServe(70);
    }));

  test('refresh without a paused replica, which catches up when it continues', () =>
    readDuring(async () => {
      const [paused, ...others] = replicas;
      await paused?.whilePaused(async () => {
        serve(80);
        await Promise.all([untilAllServe(80, others), sleep(PAUSED_MS)]);
      });
      await untilAllServe(80);
    }));
}
