import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { processTree, remaining } from '@agent-fleet/shared/testing/processes';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { startChild } from '../local/child-process.ts';
import { freePort } from '../local/ports.ts';
import { ROOT } from '../services.ts';
import { own } from '../testing/own.ts';
import { ownFolder } from '../testing/own-folder.ts';

const READY_MS = 90_000;
const GONE_MS = 30_000;

function startDemo(variables: Record<string, string>) {
  const demo = startChild(process.execPath, [join(ROOT, 'scripts/run.mjs'), 'demo'], {
    env: { ...process.env, npm_lifecycle_event: undefined, ...variables },
    endsWithParent: false,
  });
  own(() => demo.stop());
  return demo;
}

test('says why its fleet does not start', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  own(() => other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const [free, folder] = [String(await freePort()), ownFolder()];
  const onUsedPort = startDemo({ PORT: String(port), TMPDIR: folder });
  const withShortSecret = startDemo({ PORT: free, JWT_SECRET: 'short', TMPDIR: folder });
  expect((await onUsedPort.closed).code).toBe(1);
  expect(onUsedPort.printed()).toMatch(`Port ${port} is in use`);
  expect((await withShortSecret.closed).code).toBe(1);
  expect(withShortSecret.printed()).toMatch('JWT_SECRET: must have');
  expect(readdirSync(folder)).toEqual([]);
}, 60_000);

test('shows tasks in all states, says that it is a demonstration, and leaves nothing behind', async () => {
  const folder = ownFolder();
  const port = await freePort();
  const demo = startDemo({ PORT: String(port), TMPDIR: folder });
  const isReady = () => demo.printed().includes('Agents work on tasks now') || !demo.isRunning();
  await until(isReady, { timeoutMs: READY_MS, message: demo.printed });
  const [, key = ''] = /FLEET_API_KEY=(\S+)/.exec(demo.printed()) ?? [];

  const list = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-api-key': key } });
    return (await response.json()) as { name: string; tags: string[]; status: string; error?: { code: string } }[];
  };
  const states = async () => {
    const tasks = await list('/tasks?limit=100&tag=demo');
    return new Set(tasks.map(({ status, error }) => [status, error?.code].filter(Boolean).join(' ')));
  };
  const expected = ['completed', 'failed rate_limited', 'input_required', 'cancelled cancelled', 'pending'];
  const isShown = async () => new Set(expected).isSubsetOf(await states());
  await until(isShown, { timeoutMs: READY_MS, message: async () => [...(await states())].join() });
  type Asked = { agent_id: string; task_id: string; id: string; kind: string };
  const requests = await until(() => list('/input-requests') as Promise<unknown> as Promise<Asked[]>, {
    holds: (all) => all.length === 2,
    message: 'an approval and a form are asked',
  });
  const asked = requests.find(({ kind }) => kind === 'form');
  const task = `/agents/${asked?.agent_id}/tasks/${asked?.task_id}`;
  await fetch(`http://127.0.0.1:${port}${task}/input-requests/${asked?.id}/answer`, {
    method: 'PUT',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ values: { answer: 'By their fees' } }),
  });
  const isCompleted = async (path: string) => {
    const read = async () => (await list(`${path}?wait=30`)) as unknown as { status: string };
    await until(read, { holds: ({ status }) => status === 'completed', message: 'it is completed' });
  };
  await isCompleted(task);
  const tasks = `/agents/${asked?.agent_id}/tasks`;
  const next = await fetch(`http://127.0.0.1:${port}${tasks}`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ message: 'Why?', continue_of: asked?.task_id }),
  });
  await isCompleted(`${tasks}/${((await next.json()) as { id: string }).id}`);
  for (const { name } of await list('/agents')) expect(name).toContain('(demo)');

  const processes = processTree(demo.pid);
  expect(processes.some(({ command }) => command.includes('redis-server'))).toBe(true);
  demo.signal('SIGINT');
  expect((await demo.closed).code).toBe(0);
  expect(await remaining(processes, GONE_MS)).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
}, 180_000);
