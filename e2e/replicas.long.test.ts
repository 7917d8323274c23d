import { setTimeout as sleep } from 'node:timers/promises';
import { portProblem } from '@agent-fleet/scripts/local/ports';
import { processTree } from '@agent-fleet/shared/testing/processes';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Api } from './harness/api.ts';
import type { LocalProcess } from './harness/local-process.ts';
import { HAS_HANDS, sayWhatIsLeftOut } from './harness/system.ts';
import { AgentsReplicas, GATEWAY_PROCESSES } from './replicas/agents-replicas.ts';
import { type FailedRead, type Readable, Reads } from './replicas/reads.ts';
import { expectAcknowledged } from './survival/agreement.ts';
import { Acknowledged, Load } from './survival/load.ts';

const [FIRST, SECOND, THIRD] = ['127.0.0.2', '127.0.0.3', '127.0.0.4'] as const;
const PAUSED_MS = 10_000;
/** Writes wait for a replica that is paused: nobody can know whether it has done them. */
const WRITE_DEADLINE_MS = PAUSED_MS + 15_000;
const REPLACED_TIMEOUT_MS = 120_000;
const TEST_TIMEOUT_MS = 400_000;

/** All of 127/8 is the machine itself on Linux; elsewhere only 127.0.0.1 is. */
const HAS_ADDRESSES = (await portProblem(0, THIRD)) === undefined;

const api = new Api();
const replicas = await AgentsReplicas.create(FIRST);
let readable: Readable;

beforeAll(async () => {
  await api.open(HAS_ADDRESSES ? { ownRedis: true, ...replicas.options } : {});
  const agents = await api.createAgents(20);
  const task = await api.createTask(String(agents[0]?.id));
  readable = {
    paths: ['/agents?limit=5', ...agents.map(({ id }) => `/agents/${id}`)],
    waitPath: `/agents/${task.agent_id}/tasks/${task.id}`,
  };
}, 180_000);
afterAll(async () => {
  await api.close();
  replicas.remove();
}, 180_000);

test('reads succeed while nothing changes', async () => {
  const reads = new Reads(api.system, readable);
  try {
    await until(async () => reads.count >= 500 && reads.waits >= 8, { message: 'reads are made', timeoutMs: 90_000 });
  } finally {
    await reads.stop();
  }
  expect(reads.failed).toEqual([]);
});

if (HAS_HANDS && HAS_ADDRESSES) describe('Under constant load:', specifyChanges);
else if (HAS_HANDS) console.info(`Nothing can listen on ${THIRD} here, left out: replicas that come and go`);
else sayWhatIsLeftOut('replicas that come and go');

function specifyChanges(): void {
  test(
    'scaling agents from 1 to 3 fails no read and refuses no write',
    async () => {
      await have(FIRST);
      const { failed, refused } = await underLoad('1 to 3', async () => {
        // First its address is known, and then it listens; the other one the other way round.
        replicas.nameThem([FIRST, SECOND]);
        await at(SECOND).start();
        await at(THIRD).start();
        replicas.nameThem([FIRST, SECOND, THIRD]);
        await replicas.untilUp(3);
        for (const address of [FIRST, SECOND, THIRD]) await replicas.untilAnswers(address);
      });
      expect({ failed, refused }).toEqual({ failed: [], refused: 0 });
    },
    TEST_TIMEOUT_MS,
  );

  test(
    'scaling agents from 3 to 2, with DNS first, fails no read and refuses no write',
    async () => {
      await have(FIRST, SECOND, THIRD);
      const { failed, refused } = await underLoad('3 to 2, out of the names, then SIGTERM', async () => {
        replicas.nameThem([FIRST, SECOND]);
        await replicas.untilUp(2);
        expect(await at(THIRD).stop()).toBe('exit code 0');
      });
      expect({ failed, refused }).toEqual({ failed: [], refused: 0 });
    },
    TEST_TIMEOUT_MS,
  );

  test(
    'scaling agents from 3 to 2, with SIGTERM first as Compose does, fails no read and refuses no write',
    async () => {
      await have(FIRST, SECOND, THIRD);
      const { failed, refused } = await underLoad('3 to 2, SIGTERM, then out of the names', async () => {
        expect(await at(THIRD).stop()).toBe('exit code 0');
        replicas.nameThem([FIRST, SECOND]);
        await replicas.untilUp(2);
      });
      expect({ failed, refused }).toEqual({ failed: [], refused: 0 });
    },
    TEST_TIMEOUT_MS,
  );

  test(
    'no read fails when one of two replicas is killed by SIGKILL and restarted',
    async () => {
      await have(FIRST, SECOND);
      const { failed } = await underLoad('kill -9 of one of two agents', async () => {
        await at(SECOND).kill();
        await replicas.untilUp(1, 1);
        await at(SECOND).start();
        await replicas.untilUp(2);
        await replicas.untilAnswers(SECOND);
      });
      expect(failed).toEqual([]);
    },
    TEST_TIMEOUT_MS,
  );

  test(
    'no read fails while one of two replicas is paused, which serves again when it continues',
    async () => {
      await have(FIRST, SECOND);
      const { failed } = await underLoad('SIGSTOP of one of two agents', async () => {
        await at(FIRST).whilePaused(async () => {
          await sleep(PAUSED_MS);
          await replicas.untilUp(1, 1);
        });
        await replicas.untilUp(2);
        await replicas.untilAnswers(FIRST);
      });
      expect(failed).toEqual([]);
    },
    TEST_TIMEOUT_MS,
  );

  test(
    'the gateway replaces its processes without a failed read or a refused write',
    async () => {
      await have(FIRST, SECOND);
      const before = gatewayProcesses();
      const { failed, refused } = await underLoad('SIGHUP of the gateway', async () => {
        api.fleet.services.gateway.signal('SIGHUP');
        await untilReplaced(before);
      });
      expect({ failed, refused }).toEqual({ failed: [], refused: 0 });
    },
    TEST_TIMEOUT_MS,
  );

  test(
    'only requests in flight fail when a gateway process is killed by SIGKILL',
    async () => {
      await have(FIRST, SECOND);
      const { failed } = await underLoad(
        'kill -9 of one process of the gateway',
        async () => {
          const [victim = Number.NaN] = gatewayProcesses();
          process.kill(victim, 'SIGKILL');
          await untilReplaced([victim]);
        },
        { mayBeCutOff: true },
      );
      expect(failed.filter(({ problem }) => problem !== 'ECONNRESET')).toEqual([]);
      // Each client has one connection at a time; the process may have been handed one more while it died.
      expect(failed.length - countClients(failed)).toBeLessThanOrEqual(1);
    },
    TEST_TIMEOUT_MS,
  );

  /** Reads and writes, and holds against what was acknowledged what is there afterwards. */
  async function underLoad(what: string, change: () => Promise<void>, { mayBeCutOff = false } = {}) {
    const acknowledged = new Acknowledged();
    const reads = new Reads(api.system, readable);
    const writes = new Load(api, acknowledged, { mayBeCutOff, workers: 3, pauseMs: 20, answerMs: WRITE_DEADLINE_MS });
    writes.start();
    try {
      await writes.progress(20);
      await change();
      await writes.progress(20);
    } finally {
      await Promise.all([reads.stop(), writes.stop()]);
    }
    report(what, reads, writes, acknowledged);
    expect(writes.violations).toEqual([]);
    await expectAcknowledged(api, acknowledged);
    return { failed: reads.failed, refused: writes.refused };
  }
}

function report(what: string, reads: Reads, { refused }: Load, { agents, tasks }: Acknowledged): void {
  const slowest = `slowest ${Math.round(reads.slowestMs)} ms`;
  const read = `${reads.count} reads and ${reads.waits} long polls, ${reads.failed.length} failed, ${slowest}`;
  console.info(`${what}: ${read}; ${agents.size} agents and ${tasks.size} tasks written, ${refused} writes refused`);
}

/** These replicas run and take requests, and no others run. */
async function have(...addresses: string[]): Promise<void> {
  for (const address of [FIRST, SECOND, THIRD]) {
    const isWanted = addresses.includes(address);
    if (isWanted === (await at(address).isAlive())) continue;
    await (isWanted ? at(address).start() : at(address).stop());
  }
  replicas.nameThem(addresses);
  await replicas.untilUp(addresses.length);
}

function at(address: string): LocalProcess {
  return replicas.at(address, api.fleet);
}

/** Without the first one, which keeps the others. */
function gatewayProcesses(): number[] {
  const { pid: first } = api.fleet.services.gateway;
  return processTree(first)
    .map(({ pid }) => pid)
    .filter((pid) => pid !== first);
}

async function untilReplaced(pids: readonly number[]): Promise<void> {
  await until(
    async () => {
      const now = gatewayProcesses();
      return now.length === GATEWAY_PROCESSES && !now.some((pid) => pids.includes(pid));
    },
    { message: 'processes are replaced', timeoutMs: REPLACED_TIMEOUT_MS },
  );
}

function countClients(failed: readonly FailedRead[]): number {
  return new Set(failed.map(({ client }) => client)).size;
}
