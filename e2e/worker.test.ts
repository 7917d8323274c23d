import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ROOT } from '@agent-fleet/scripts/services';
import { startTestRedis } from '@agent-fleet/scripts/testing/test-redis';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Api, type Task } from './harness/api.ts';
import { CONTROLS_PROCESSES, logOmittedTests } from './harness/system.ts';
import { WorkerProgram } from './harness/worker-program.ts';

/** A whole minute in long runs: the worker guarantees to survive it. */
const OUTAGE_SECONDS = Number(process.env.E2E_OUTAGE_SECONDS || 20);
const QUICK_START_TIMEOUT_MS = 150_000;
const END_TIMEOUT_MS = 90_000;
const HAS_CURL = spawnSync('curl', ['--version']).status === 0;

const api = new Api();
beforeAll(() => api.open({ ownRedis: startTestRedis }), 180_000);
afterAll(() => api.close(), 180_000);

const untilCompleted = (task: Task) =>
  until(async () => (await api.readTask(task)).status === 'completed', {
    message: 'the task is completed',
    timeoutMs: END_TIMEOUT_MS,
  });

if (HAS_CURL) test('the quick start of the README leads to a completed task', runQuickStart, 180_000);
else console.info('curl is not installed. Omitted: the quick start of the README');

if (CONTROLS_PROCESSES) {
  test(
    `the worker program survives an outage of the fleet of ${OUTAGE_SECONDS} s, and completes its tasks`,
    surviveAnOutage,
    (OUTAGE_SECONDS + 300) * 1_000,
  );
} else {
  logOmittedTests('a worker that survives an outage');
}

/** The commands of the README's quick start, with the address of this fleet and the credentials file of this test. */
async function runQuickStart(): Promise<void> {
  const { baseUrl, admin, apiKey } = api;
  const [, text = ''] = readFileSync(join(ROOT, 'README.md'), 'utf8').split(/^## Quick start$/m);
  const blocks = [...text.slice(0, text.indexOf('\n## ')).matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block);
  const script = blocks.join('').replace('. .data/credentials.env\n', '').replaceAll('http://localhost:8080', baseUrl);
  const folder = mkdtempSync(join(tmpdir(), 'fleet-quick-start-'));
  try {
    for (const name of ['package.json', 'node_modules', 'clients']) symlinkSync(join(ROOT, name), join(folder, name));
    const env = {
      PATH: [join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter),
      HOME: folder,
      ADMIN_EMAIL: admin.email,
      ADMIN_PASSWORD: admin.password,
      API_KEYS: `e2e:${apiKey}`,
      FLEET_URL: baseUrl,
    };
    const { stdout } = await promisify(execFile)('/bin/sh', ['-ec', script], {
      cwd: folder,
      env,
      timeout: QUICK_START_TIMEOUT_MS,
      maxBuffer: 64 * 1024 * 1024,
    });
    expect(stdout).toContain(`{"user":"${admin.email}"}`);
    const [, agentId] = /"agent_id":"([^"]*)"/.exec(stdout) ?? [];
    const [task] = (await api.get(`/agents/${agentId}/tasks`)).json as [Task];
    expect(task).toMatchObject({ status: 'completed', result: { echo: task.message } });
    expect(stdout).toContain(JSON.stringify(task));
    expect(stdout).toContain('"type":"task.completed"');
    await api.call('DELETE', `/agents/${agentId}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One of two tasks runs during an outage of the fleet, and its handler ends meanwhile; the other one is queued. */
async function surviveAnOutage(): Promise<void> {
  const agent = await api.createAgent();
  const running = await api.createTask(agent.id);
  const pending = await api.createTask(agent.id);
  const worker = new WorkerProgram(api, ['--agent', agent.id]);
  try {
    await worker.untilBegun(running.id);
    await api.fleet.killAll();
    await sleep((OUTAGE_SECONDS * 1_000) / 2);
    worker.letFinish(running.id);
    worker.letFinish(pending.id);
    await sleep((OUTAGE_SECONDS * 1_000) / 2);
    expect(worker.has(pending.id)).toBe(false);
    await api.fleet.restartAll();
    for (const task of [running, pending]) {
      await untilCompleted(task);
      expect(await api.readTask(task)).toMatchObject({ attempt: 1, result: { done: true } });
    }
  } finally {
    await worker.close();
  }
}
