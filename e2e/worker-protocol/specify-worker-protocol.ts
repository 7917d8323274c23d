import { startTestRedis } from '@agent-fleet/scripts/testing/test-redis';
import { afterAll, describe, test } from '@jest/globals';
import { Api } from '../harness/api.ts';
import type { LocalProcess } from '../harness/local-process.ts';
import { CONTROLS_PROCESSES, logOmittedTests } from '../harness/system.ts';
import { type Case, type CaseTools, casesOf, type Times } from './cases.ts';
import { findPrograms, type Program } from './programs.ts';
import { WorkerProcess } from './worker-process.ts';

const STOP_SECONDS = 30;
const CLOSE_TIMEOUT_MS = 60_000;

/**
 * What a worker library promises, for each that this machine can run. The cases run at the same time, each with an
 * agent and workers of its own, and each library has a gateway for its outage. Resolves when the tests are declared.
 */
export async function specifyWorkerProtocol(times: Times): Promise<void> {
  if (!CONTROLS_PROCESSES) {
    logOmittedTests('the worker protocol');
    return;
  }
  const programs = await findPrograms();
  const api = new Api();
  // Concurrent tests begin before `beforeAll`.
  await api.open({ ownRedis: startTestRedis, moreGateways: programs.length });
  afterAll(() => api.close(), CLOSE_TIMEOUT_MS);
  for (const [index, program] of programs.entries()) {
    const cases = Object.entries(
      casesOf({ api, outage: api.fleet.gateways[index + 1] as LocalProcess, program, times }),
    );
    describe(`a worker in ${program.name}`, () => {
      for (const [title, run] of cases) {
        test.concurrent(title, () => runCase(api, program, times, run), times.timeoutMs);
      }
    });
  }
}

async function runCase(api: Api, program: Program, times: Times, run: Case): Promise<void> {
  const workers: WorkerProcess[] = [];
  const agent = await api.createAgent();
  const start: CaseTools['start'] = (options = {}) => {
    const base = { url: api.baseUrl, leaseSeconds: times.leaseSeconds, stopSeconds: STOP_SECONDS };
    const worker = new WorkerProcess(program, { apiKey: api.apiKey, agentId: agent.id, ...base, ...options });
    workers.push(worker);
    return worker;
  };
  const add: CaseTools['add'] = (message, input, fields) =>
    api.createTask(agent.id, { message, input, retry_policy: { strategy: 'fixed', delay_seconds: 0 }, ...fields });
  try {
    await run({ start, add });
  } finally {
    await Promise.all(workers.map((worker) => worker.kill()));
  }
}
