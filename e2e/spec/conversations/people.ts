import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { apiKey } from '../../harness/accounts.ts';
import { type Api, pathOf } from '../../harness/api.ts';
import { type Caller, type Credential, expectStatus } from '../../harness/http-client.ts';
import { conversationOf } from './input-requests.ts';

const ROLES = ['viewer', 'worker', 'approver', 'operator'] as const;

interface AuditEvent {
  target: { id: string } | null;
  actor: { type: string; name: string };
  details?: Record<string, string>;
}

/** docs/contract.md "Input requests", of who may do what. */
export function specifyPeople(api: Api): void {
  const talk = conversationOf(api);
  const allow = { option_ids: ['allow'] };

  test('viewers and workers answer nothing, approvers nothing else', async () => {
    const lease = await talk.start();
    const request = await talk.ask(lease);
    const say = (as: Caller) => api.call('POST', `${pathOf(lease.task)}/messages`, { as, body: { text: 'x' } });
    const interrupt = (as: Caller) => api.call('PUT', `${pathOf(lease.task)}/interruption`, { as });
    const as: Record<string, Credential> = {};
    for (const role of ROLES) {
      as[role] = apiKey((await api.accounts.createKey({ role })).key);
    }
    const { viewer, worker, approver, operator } = as as Record<(typeof ROLES)[number], Credential>;
    for (const caller of [viewer, worker]) {
      expect((await talk.answer(lease, request, allow, caller)).status).toBe(403);
    }
    for (const caller of [viewer, worker, approver]) {
      expect([(await say(caller)).status, (await interrupt(caller)).status]).toEqual([403, 403]);
    }
    const list = `/input-requests?task_id=${lease.task.id}`;
    expect((await api.get(list, approver)).json).toMatchObject([{ id: request.id }]);
    expect((await api.call('GET', `${pathOf(lease.task)}/messages`, { as: approver })).status).toBe(200);
    expectStatus(await talk.answer(lease, request, allow, approver), 200);
    const next = await talk.ask(lease);
    expect((await interrupt(operator)).status).toBe(200);
    expectStatus(await talk.answer(lease, next, { option_ids: ['deny'] }, operator), 200);
    expectStatus(await say(operator), 202);
  });

  test('to a key limited to other agents a conversation does not exist', async () => {
    const [lease, other] = [await talk.start(), await talk.start()];
    const [request, own] = [await talk.ask(lease), await talk.ask(other)];
    const { key } = await api.accounts.createKey({ role: 'operator', agent_ids: [other.task.agent_id] });
    const as = apiKey(key);
    const path = pathOf(lease.task);
    const calls: [string, string, unknown?][] = [
      ['GET', `${path}/input-requests`],
      ['GET', `${path}/input-requests/${request.id}`],
      ['PUT', `${path}/input-requests/${request.id}/answer`, allow],
      ['GET', `${path}/messages`],
      ['POST', `${path}/messages`, { text: 'x' }],
      ['PUT', `${path}/interruption`],
      ['GET', `${path}/thread`],
      ['PUT', `${pathOf({ ...lease.task, agent_id: other.task.agent_id })}/input-requests/${request.id}/answer`, allow],
    ];
    for (const [method, target, body] of calls) {
      expect([target, (await api.call(method, target, { as, body })).status]).toEqual([target, 404]);
    }
    const list = async (query: string) => (await api.get(`/input-requests${query}`, as)).json;
    expect(await list('')).toMatchObject([{ id: own.id }]);
    expect(await list(`?agent_id=${lease.task.agent_id}`)).toEqual([]);
    expect(await list(`?task_id=${lease.task.id}`)).toEqual([]);
    expectStatus(await talk.answer(other, own, allow, as), 200);
    expect(await talk.read(lease, request)).toMatchObject({ state: 'open' });
  });

  test('a request is answered at its own task only', async () => {
    const [lease, other] = [await talk.start(), await talk.start()];
    const request = await talk.ask(lease);
    expect((await talk.answer(other, request, allow)).status).toBe(404);
    expect(await talk.read(lease, request)).toMatchObject({ state: 'open' });
  });

  test('the audit trail says who has allowed which tool with which input, also of keys', async () => {
    const lease = await talk.start();
    const eventsOf = async () => {
      const query = '?action=task.input_answered&limit=1000';
      const events = expectStatus<AuditEvent[]>(await api.get(`/audit-events${query}`), 200);
      return events.filter(({ target }) => target?.id === lease.task.id);
    };
    const { key, name } = await api.accounts.createKey({ role: 'approver', name: 'Phone' });
    const [first, second, third] = [
      await talk.ask(lease, { input_editable: true }),
      await talk.ask(lease),
      await talk.ask(lease, { kind: 'question', tool: null }),
    ];
    const changed = { ...allow, tool_input: { command: 'ls' } };
    const { answer } = expectStatus<typeof first>(await talk.answer(lease, first, changed, apiKey(key)), 200);
    await talk.answer(lease, second, { option_ids: ['deny'], text: 'No' }, 'token');
    await talk.answer(lease, third, { text: 'x' });
    const found = await until(eventsOf, { holds: ({ length }) => length === 3 });
    const { digest } = second.tool as { digest: string };
    expect(found).toMatchObject([
      { actor: { type: 'key', name }, details: { tool: 'Bash', decision: 'allow', digest: answer?.tool_digest } },
      { actor: { type: 'user' }, details: { tool: 'Bash', decision: 'deny', digest } },
      { details: { decision: 'answered' } },
    ]);
    expect(Object.keys(found[2]?.details ?? {})).toEqual(['decision']);
  });

  test('lists, stats and series count tasks that wait for a person', async () => {
    const [hot, cold] = [await talk.start(), await talk.start()];
    await Promise.all([hot, cold].map((lease) => talk.ask(lease)));
    await api.release(cold);
    const listed = async (agent: string) => expectStatus(await api.get(`/leases?agent_id=${agent}`), 200);
    expect(await listed(hot.task.agent_id)).toMatchObject([{ id: hot.id }]);
    expect(await listed(cold.task.agent_id)).toEqual([]);
    const tasks = await api.get(`/tasks?agent_id=${cold.task.agent_id}&status=input_required`);
    expect(tasks.json).toMatchObject([{ id: cold.task.id }]);
    for (const duration of [0, 86_400]) {
      const running = await api.get(`/tasks?agent_id=${hot.task.agent_id}&min_duration_seconds=${duration}`);
      expect(running.json).toHaveLength(duration === 0 ? 1 : 0);
    }
    const stats = await api.get('/stats');
    expect(stats.json).toMatchObject({ tasks: { by_status: { input_required: expect.any(Number) } } });
    const series = await api.get(`/stats/series?agent_id=${hot.task.agent_id}`);
    const { steps } = series.json as { steps: { input_requested: number }[] };
    expect(steps.reduce((sum, step) => sum + step.input_requested, 0)).toBe(1);
  });

  test('a bulk action cancels tasks that wait for a person', async () => {
    const [hot, cold] = [await talk.start(), await talk.start()];
    const requests = await Promise.all([hot, cold].map((lease) => talk.ask(lease)));
    await api.release(cold);
    for (const { task } of [hot, cold]) {
      const filter = { agent_id: task.agent_id, status: 'input_required' };
      expectStatus(await api.call('POST', '/bulk-actions', { body: { action: 'cancel', filter } }), 202);
    }
    await until(async () => (await api.readTask(cold.task)).status === 'cancelled');
    await until(async () => (await api.readTask(hot.task)).cancel_requested_at !== null);
    expect(await talk.read(cold, requests[1] as never)).toMatchObject({ state: 'withdrawn' });
    expect(await talk.read(hot, requests[0] as never)).toMatchObject({ state: 'open' });
  });
}
