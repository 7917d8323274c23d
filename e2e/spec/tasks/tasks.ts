import { until } from '@agent-fleet/shared/testing/until';
import { describe, expect, test } from '@jest/globals';
import type { Agent, Api, Task } from '../../harness/api.ts';
import { expectStatus } from '../../harness/http-client.ts';
import {
  expectError,
  expectJson,
  expectResponse,
  STRONG_ETAG,
  TIMESTAMP,
  TRACEPARENT,
  UUID_V7,
} from '../expectations.ts';
import { specifyAgentWork } from './agent-work.ts';

const DAY_MS = 86_400_000;
const KIB = 1024;
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

/** Specification: the two nested endpoints; docs/contract.md "Tasks": tasks as records. */
export function specifyTasks(api: Api): void {
  const post = (agent: Agent, body: unknown) => api.call('POST', `/agents/${agent.id}/tasks`, { body });

  test('POST is 201 with every field of a task, where unset ones are null or have their default', async () => {
    const agent = await api.createAgent();
    const response = await post(agent, { message: 'Write the notes' });
    expect(response.status).toBe(201);
    expectJson(response);
    const task = response.json as Task;
    expect(task).toEqual({
      id: expect.stringMatching(UUID_V7),
      agent_id: agent.id,
      message: 'Write the notes',
      input: null,
      status: 'pending',
      priority: 5,
      scheduled_at: null,
      expires_at: new Date(Date.parse(task.created_at) + DAY_MS).toISOString(),
      timeout_seconds: 3600,
      max_attempts: 3,
      retry_policy: { strategy: 'exponential', delay_seconds: 5, max_delay_seconds: 300, jitter: 0.5 },
      attempt: 0,
      result: null,
      error: null,
      progress: null,
      tags: null,
      metadata: null,
      after: null,
      after_failure: null,
      retry_of: null,
      continued_by: [],
      skills: null,
      workspace: null,
      model: null,
      output_schema: null,
      max_cost: null,
      continue_of: null,
      agent_version: null,
      requires: null,
      concurrency_key: null,
      usage: null,
      cost: null,
      traceparent: expect.stringMatching(TRACEPARENT),
      created_by: { id: expect.any(String), name: expect.any(String) },
      worker_id: null,
      cancel_requested_at: null,
      next_attempt_at: null,
      started_at: null,
      completed_at: null,
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: task.created_at,
    });
    expect(response.headers.location).toBe(`/agents/${agent.id}/tasks/${task.id}`);
    expect(response.headers.etag).toMatch(STRONG_ETAG);
    const read = await api.get(`${response.headers.location}?wait=0`);
    expectResponse(read, 200, task);
    expect(read.headers.etag).toBe(response.headers.etag);
  });

  test('POST stores every field that a client may set', async () => {
    const given = {
      message: '😀 \u0000 "quoted"',
      input: { deep: [{ list: [1, 2.5, -0.1e-7, null, true, ''] }], ключ: '値' },
      priority: 1,
      scheduled_at: inHours(24 * 29),
      expires_at: inHours(24 * 40),
      timeout_seconds: 86_400,
      max_attempts: 10,
      retry_policy: { strategy: 'fixed', delay_seconds: 0, max_delay_seconds: 86_400, jitter: 1 },
      tags: Array.from({ length: 10 }, (_, at) => `${at}${'😀'.repeat(127)}`),
      metadata: { owner: 'ops', nested: { of: ['any', 'kind'] } },
      skills: ['owner~repo~skill', { id: 'pinned', digest: `sha256:${'0f'.repeat(32)}` }],
      workspace: { repository: 'git@git.example.com:acme/shop.git', ref: 'main' },
      model: 'claude-opus-5[1m]',
      output_schema: { $schema: 'http://json-schema.org/draft-07/schema#', type: ['object', 'null'] },
      max_cost: { amount: 0.000001, currency: 'USD' },
    };
    const task = await api.createTask((await api.createAgent()).id, given);
    expect(task).toMatchObject(given);
  });

  test('a lone surrogate becomes U+FFFD in texts, and stays in free JSON', async () => {
    const half = 'b\udc00\ud83d';
    const free = { input: [half], metadata: { [half]: half }, output_schema: { const: half } };
    const task = await api.createTask((await api.createAgent()).id, { message: half, tags: ['half', half], ...free });
    expect(task).toMatchObject({ message: 'b\ufffd\ufffd', tags: ['half', 'b\ufffd\ufffd'], ...free });
    const found = (await api.get(`/tasks?tag=${encodeURIComponent('b\ufffd\ufffd')}`)).json as Task[];
    expect(found.map(({ id }) => id)).toContain(task.id);
  });

  test('a retry policy gets defaults for omitted fields', async () => {
    const task = await api.createTask((await api.createAgent()).id, { retry_policy: { delay_seconds: 3600 } });
    const defaults = { strategy: 'exponential', max_delay_seconds: 300, jitter: 0.5 };
    expect(task.retry_policy).toEqual({ ...defaults, delay_seconds: 3600 });
  });

  test('times with any offset are returned in UTC, and the default expiry is 24 h after scheduled_at', async () => {
    const start = new Date(Math.ceil(Date.now() / 1000) * 1000 + 3_600_000);
    const inTokyo = new Date(start.getTime() + 9 * 3_600_000).toISOString().replace('.000Z', '+09:00');
    const task = await api.createTask((await api.createAgent()).id, { scheduled_at: inTokyo });
    expect(task.scheduled_at).toBe(start.toISOString());
    expect(task.expires_at).toBe(new Date(start.getTime() + DAY_MS).toISOString());
  });

  test('input is any JSON', async () => {
    const agent = await api.createAgent();
    for (const input of ['false', '0', '""', '[[],{}]', 'null', '{"__proto__":{"a":1},"b":2}']) {
      const response = await post(agent, `{"message":"x","input":${input}}`);
      expect(response.status).toBe(201);
      expect(response.text).toContain(`"input":${input}`);
    }
  });

  test('input may have 256 KiB, and metadata 16 KiB and a field named __proto__', async () => {
    const agent = await api.createAgent();
    await api.createTask(agent.id, { input: 'x'.repeat(256 * KIB - 2), metadata: { m: 'x'.repeat(16 * KIB - 8) } });
    const response = await post(agent, '{"message":"x","metadata":{"__proto__":{"a":1},"b":2}}');
    expect(response.text).toContain('"metadata":{"__proto__":{"a":1},"b":2}');
  });

  test('a message has 1 to 32768 code points', async () => {
    const agent = await api.createAgent();
    for (const message of ['x', 'x'.repeat(32_768), '😀'.repeat(32_768)]) {
      expect(await api.createTask(agent.id, { message })).toMatchObject({ message });
    }
  });

  describe('a well-formed but impossible task is 422:', () => {
    const cases: Record<string, [path: string, fields: () => Record<string, unknown>]> = {
      'a start in the past': ['scheduled_at', () => ({ scheduled_at: inHours(-1) })],
      'a start more than 30 days ahead': ['scheduled_at', () => ({ scheduled_at: inHours(24 * 30 + 1) })],
      'a start after the end': ['scheduled_at', () => ({ scheduled_at: inHours(3), expires_at: inHours(2) })],
      'an end in the past': ['expires_at', () => ({ expires_at: inHours(-1) })],
      'a retry of no task': ['retry_of', () => ({ retry_of: 'nothing' })],
    };
    test.each(Object.entries(cases))('%s', async (_what, [path, fields]) => {
      const agent = await api.createAgent();
      const response = await post(agent, { message: 'x', ...fields() });
      expectError(response, 422, 'semantic_error');
      expect(response.json).toMatchObject({ details: { fields: [{ path }] } });
      expectResponse(await api.get(`/agents/${agent.id}/tasks`), 200, []);
    });

    test('a retry of a task that has not ended, or of another agent', async () => {
      const [agent, other] = await Promise.all([api.createAgent(), api.createAgent()]);
      const task = await api.createTask(agent.id);
      expectError(await post(agent, { message: 'x', retry_of: task.id }), 422, 'semantic_error');
      await api.cancel(task);
      expectError(await post(other, { message: 'x', retry_of: task.id }), 422, 'semantic_error');
    });
  });

  test('a task has the trace of the request that created it, and keeps it', async () => {
    const traces = [1, 2, 3].map((at) => `0af7651916cd43dd8448eb211c80319${at}`);
    const by = (at: number) => ({ headers: { traceparent: `00-${traces[at]}-b7ad6b7169203331-01` } });
    const traceOf = (task: Task | undefined) => traces.indexOf(String(task?.traceparent).split('-')[1] ?? '');
    const { id } = await api.createAgent();
    const path = `/agents/${id}/tasks`;
    const task = expectStatus<Task>(await api.call('POST', path, { body: { message: 'x' }, ...by(0) }), 201);
    await api.call('PUT', `${path}/${task.id}`, { body: { message: 'y' }, ...by(1) });
    const held = await api.lease(id);
    expect([traceOf(task), held.task.traceparent]).toEqual([0, task.traceparent]);
    await api.report(held);
    const retry = expectStatus<Task>(await api.call('POST', `${path}/${task.id}/retries`, by(1)), 201);
    const batch = { body: { tasks: [{ message: 'x' }] }, ...by(2) };
    await api.call('POST', `/agents/${id}/task-batches`, batch);
    const bulk = { body: { action: 'retry', filter: { id: task.id } }, ...by(2) };
    await api.call('POST', '/bulk-actions', bulk);
    const read = async () => (await api.get(path)).json as Task[];
    const tasks = await until(read, { holds: ({ length }) => length === 4 });
    expect([traceOf(retry), ...tasks.slice(2).map(traceOf)]).toEqual([1, 2, 2]);
  });

  describe('For the work of an agent:', () => specifyAgentWork(api));
}
