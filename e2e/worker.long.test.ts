import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '@agent-fleet/scripts/services';
import { startTestRedis } from '@agent-fleet/scripts/testing/test-redis';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { Api, type Task } from './harness/api.ts';
import { blocksOf, commandsOf, runAsUser } from './harness/run-as-user.ts';
import { CONTROLS_PROCESSES, logOmittedTests } from './harness/system.ts';
import { WorkerProgram } from './harness/worker-program.ts';

/** A whole minute in long runs: the worker guarantees to survive it. */
const OUTAGE_SECONDS = Number(process.env.E2E_OUTAGE_SECONDS || 20);
const END_TIMEOUT_MS = 90_000;
const HAS_CURL = spawnSync('curl', ['--version']).status === 0;

const api = Api.duringTests({ ownRedis: startTestRedis });

const untilCompleted = (task: Task) =>
  until(async () => (await api.readTask(task)).status === 'completed', {
    message: 'the task is completed',
    timeoutMs: END_TIMEOUT_MS,
  });

test('the quick start of the README works as written, also a second time', runQuickStart, 180_000);
test('the commands of "Users, keys and roles" and "Write a worker" work as written', runGuideCommands, 180_000);
if (!HAS_CURL) console.info('curl is not installed. Omitted: what these pages do with curl');

if (CONTROLS_PROCESSES) {
  test(
    `the worker program survives an outage of the fleet of ${OUTAGE_SECONDS} s, and completes its tasks`,
    surviveAnOutage,
    (OUTAGE_SECONDS + 300) * 1_000,
  );
} else {
  logOmittedTests('a worker that survives an outage');
}

/** What the quick start of the README shows after `$`, twice: no line fails where it ran before. */
async function runQuickStart(): Promise<void> {
  const [, text = ''] = readFileSync(join(ROOT, 'README.md'), 'utf8').split(/^## Quick start$/m);
  const commands = commandsOf(text)
    // The folder has no credentials, so that it would ask the fleet at the default address.
    // The first one ends with 7: the task asks.
    .map((command) => (command.includes('result') ? `${command} || true` : command))
    .map((command) => (command.includes('skills add') ? `FLEET_URL=${api.baseUrl} ${command}` : command));
  const stdout = await runAsUser(api, [...commands, 'cd ../agent-fleet', ...commands].join('\n'));
  for (const part of [
    `● ${api.baseUrl} is ready`,
    '"echo": "Write the release notes of version 2.4"',
    'Answered: Shall I answer?',
    '3 of 3 tasks cancelled',
  ]) {
    expect(stdout.split(part)).toHaveLength(3);
  }
  expect(stdout).toContain('wrote     .agents/skills/write-release-notes/SKILL.md');
  await deleteAgents();
}

async function deleteAgents(): Promise<void> {
  const agents = (await api.get('/agents')).json as { id: string }[];
  for (const { id } of agents) await api.call('DELETE', `/agents/${id}`);
}

async function runGuideCommands(): Promise<void> {
  const [users = '', worker = ''] = ['users-and-keys', 'write-a-worker'].map((name) =>
    readFileSync(join(ROOT, `docs/${name}.md`), 'utf8'),
  );
  const [variables = '', typescript = '', , http = ''] = blocksOf(worker, 'sh');
  const withWorker = (command: string) =>
    `(exec ${typescript.trim()}) >/dev/null & WORKER=$!\n${command}\nkill $WORKER; wait $WORKER || true`;
  const commands = (page: string) =>
    commandsOf(page)
      .map((command) => command.replaceAll('npx fleet ', 'fleet '))
      .map((command) => (command.includes('--wait') ? withWorker(command) : command));
  const [curl = '', tokens = ''] = blocksOf(users.slice(users.indexOf('## With curl')), 'sh').filter((block) =>
    block.includes('curl'),
  );
  const withCurl = HAS_CURL ? [curl, tokens, http] : [];
  const stdout = await runAsUser(api, [...commands(users), variables, ...withCurl, ...commands(worker)].join('\n'));
  expect(stdout).toContain('ada@example.com sets a password with this code');
  expect(stdout).toMatch(/^refused$/m);
  expect(stdout).toContain('key.deleted');
  expect(stdout).toMatch(/completed .*Hello from a program/);
  expect(stdout).toContain('"answer": "HELLO FROM TYPESCRIPT"');
  if (HAS_CURL) {
    expect(stdout).toContain('"result":{"answer":"Hello"}');
    expect(stdout.match(/"refresh_token":"/g)).toHaveLength(1);
    expect(stdout).toContain('"name":"Dashboard"');
  }
  await deleteAgents();
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
