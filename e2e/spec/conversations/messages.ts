import { until } from '@agent-fleet/shared/testing/until';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Api, type Lease, pathOf, type Task } from '../../harness/api.ts';
import { expectStatus } from '../../harness/http-client.ts';
import { expectDetail, expectError, expectInvalid } from '../expectations.ts';
import { conversationOf } from './input-requests.ts';

interface Message {
  id: string;
  state: string;
  delivered_as: string | null;
  [field: string]: unknown;
}

const ALL = ['messages', 'steer', 'interrupt', 'input'];

/** docs/contract.md "Messages". */
export function specifyMessages(api: Api): void {
  const talk = conversationOf(api);
  const say = async (task: Task, fields: object = {}): Promise<Message> =>
    expectStatus(await talk.say(task, { text: 'Hello', ...fields }), 202);
  const list = async (task: Task, query = ''): Promise<Message[]> =>
    expectStatus(await api.get(`${pathOf(task)}/messages${query}`), 200);
  const report = ({ id, token }: Lease, message: string, fields: object) =>
    api.call('PUT', `/leases/${id}/messages/${message}`, { body: { token, ...fields } });
  const interrupt = ({ task }: Pick<Lease, 'task'>) => api.call('PUT', `${pathOf(task)}/interruption`);
  const confirm = ({ id, token }: Lease) => api.call('PUT', `/leases/${id}/interruption`, { body: { token } });
  const openOf = async ({ task }: Lease) =>
    expectStatus<{ id: string; title: string; state: string; answer: null }[]>(
      await api.get(`/input-requests?task_id=${task.id}`),
      200,
    );

  let slow: Lease;
  beforeAll(async () => {
    slow = await talk.start();
    expect((await interrupt(slow)).json).toEqual({ request_id: null });
  });

  test('messages reach the inbox in order, are received, then delivered as the worker says', async () => {
    const lease = await talk.start();
    const { task } = lease;
    const [first, second, third] = [
      await say(task, { text: 'One' }),
      await say(task, { text: 'Two', mode: 'steer' }),
      await say(task, { text: 'Three', mode: 'interrupt' }),
    ];
    expect(first).toMatchObject({ mode: 'queue', state: 'queued', delivered_as: null, delivered_at: null });
    expect(await talk.inbox(lease)).toEqual([
      { n: 1, type: 'message', message_id: first.id, text: 'One', mode: 'queue' },
      { n: 2, type: 'message', message_id: second.id, text: 'Two', mode: 'steer' },
      { n: 3, type: 'message', message_id: third.id, text: 'Three', mode: 'interrupt' },
    ]);
    await talk.inbox(lease, '?after=2');
    expect((await list(task)).map(({ state }) => state)).toEqual(['received', 'received', 'queued']);
    expectStatus(await report(lease, first.id, { state: 'delivered', as: 'prompt' }), 204);
    expectStatus(await report(lease, first.id, { state: 'dropped' }), 204);
    expectStatus(await report(lease, second.id, { state: 'dropped' }), 204);
    expectDetail(await report(lease, crypto.randomUUID(), { state: 'dropped' }), 404, 'Message not found');
    expect(await list(task)).toMatchObject([
      { state: 'delivered', delivered_as: 'prompt', delivered_at: expect.any(String) },
      { state: 'dropped', delivered_as: null, delivered_at: null },
      { state: 'queued', delivered_as: null },
    ]);
    expect((await list(task, '?order=desc&limit=1')).map(({ id }) => id)).toEqual([third.id]);
    const entries = await talk.entries(task);
    expect(entries.map(({ type }) => type)).toEqual(['message', 'message', 'message']);
    expect(entries[0]?.data).toEqual({ id: first.id, by: expect.any(Object), text: 'One' });
    await api.report(lease);
    expect((await list(task))[2]).toMatchObject({ state: 'dropped' });
    expectError(await talk.say(task, { text: 'x' }), 409, 'task_ended');
  });

  test('what the worker cannot do is queued and says so; one that takes none refuses at once', async () => {
    const simple = await talk.start({}, { accepts: ['messages'] });
    for (const mode of ['steer', 'interrupt']) {
      expect(await say(simple.task, { mode })).toMatchObject({ mode, delivered_as: 'queue' });
    }
    expect(await talk.inbox(simple)).toMatchObject([{ mode: 'queue' }, { mode: 'queue' }]);
    expectError(await interrupt(simple), 409, 'messages_not_supported');
    const deaf = await talk.start({}, { accepts: [] });
    expectError(await talk.say(deaf.task, { text: 'x' }), 409, 'messages_not_supported');
    expectError(await interrupt(deaf), 409, 'messages_not_supported');
  });

  test('an attempt that is lost gives its messages to the next one, whose worker must take them', async () => {
    const lease = await talk.start();
    const { task } = lease;
    const { id } = await say(task);
    await talk.inbox(lease, '?after=0');
    await talk.inbox(lease, '?after=1');
    await api.release(lease);
    expect(await list(task)).toMatchObject([{ id, state: 'queued' }]);
    expect((await api.requestLease(task.agent_id, { accepts: ['input'] })).status).toBe(204);
    const next = await api.lease(task.agent_id, { accepts: ['messages'] });
    expect(await talk.inbox(next)).toMatchObject([{ message_id: id }]);
    expect((await talk.inbox(next))[0]?.n).toBeGreaterThan(1);
  });

  test('an interruption of an attempt that ends before is one of the next attempt', async () => {
    const lease = await talk.start({}, { accepts: ALL });
    expectStatus(await interrupt(lease), 202);
    await api.release(lease);
    expect((await api.requestLease(lease.task.agent_id, { accepts: ['messages'] })).status).toBe(204);
    const next = await api.lease(lease.task.agent_id, { accepts: ALL });
    expect(await talk.inbox(next)).toMatchObject([{ type: 'interrupt' }]);
    expectStatus(await confirm(next), 204);
    expect(await api.readTask(lease.task)).toMatchObject({ status: 'input_required' });
  });

  test('a pending task takes messages, and says when no worker does', async () => {
    const task = await api.createTask((await api.createAgent()).id);
    await api.requestLease((await api.createAgent()).id, { accepts: [] });
    const { id } = await say(task, { mode: 'interrupt' });
    expect((await api.requestLease(task.agent_id, { accepts: [] })).status).toBe(204);
    const { json } = await api.get(`${pathOf(task)}/waiting`);
    expect(json).toMatchObject({ reason: 'no_worker' });
    const lease = await api.lease(task.agent_id, { accepts: ALL });
    expect(await talk.inbox(lease)).toMatchObject([{ n: 1, message_id: id, mode: 'interrupt' }]);
  });

  test('a repeated Idempotency-Key sends a message once', async () => {
    const { task } = await talk.start();
    const send = (text: string) =>
      api.call('POST', `${pathOf(task)}/messages`, { body: { text }, headers: { 'idempotency-key': task.id } });
    const [one, other] = [await send('x'), await send('x')];
    expect(other.json).toEqual(one.json);
    expect(other.headers['idempotency-replayed']).toBe('true');
    expectError(await send('y'), 422, 'semantic_error');
    expect(await list(task)).toHaveLength(1);
  });

  test('a task has at most 100 undelivered messages, many of which may come at once', async () => {
    const lease = await talk.start();
    const [first] = await Promise.all(Array.from({ length: 60 }, () => say(lease.task)));
    for (let sent = 60; sent < 100; sent += 10) {
      await Promise.all(Array.from({ length: 10 }, () => say(lease.task)));
    }
    expectError(await talk.say(lease.task, { text: 'x' }), 409, 'too_many_messages');
    expect((await talk.inbox(lease)).map(({ n }) => n)).toEqual(Array.from({ length: 100 }, (_, at) => at + 1));
    await report(lease, first?.id as string, { state: 'dropped' });
    await say(lease.task);
  });

  test('a message has a text, of at most 32,768 characters, and one of three modes', async () => {
    const { task } = await talk.start();
    expectInvalid(await talk.say(task, { text: '' }), 'text');
    expectInvalid(await talk.say(task, { text: 'x'.repeat(32_769) }), 'text');
    expectInvalid(await talk.say(task, { text: 'x', mode: 'shout' }), 'mode');
    await say(task, { text: 'ü'.repeat(32_768) });
  });

  test('one that interrupts the turn withdraws what that has asked', async () => {
    const hot = await talk.start();
    const asked = await talk.ask(hot);
    const { id } = await say(hot.task, { mode: 'interrupt' });
    expect(await api.readTask(hot.task)).toMatchObject({ status: 'input_required' });
    await report(hot, id, { state: 'delivered', as: 'interrupt' });
    expect(await talk.read(hot, asked)).toMatchObject({ state: 'withdrawn' });
    expect(await api.readTask(hot.task)).toMatchObject({ status: 'running' });
    const cold = await talk.start();
    const request = await talk.ask(cold);
    await api.release(cold);
    await say(cold.task, { mode: 'interrupt' });
    expect(await talk.read(cold, request)).toMatchObject({ state: 'withdrawn' });
    expect(await api.readTask(cold.task)).toMatchObject({ status: 'pending' });
  });

  describe('an interruption', () => {
    test('opens a question when the worker confirms it, and a person goes on', async () => {
      const lease = await talk.start();
      expect(await interrupt(lease)).toMatchObject({ status: 202, json: { request_id: null } });
      expect(await interrupt(lease)).toMatchObject({ status: 202 });
      expect(await talk.inbox(lease)).toEqual([{ n: 1, type: 'interrupt' }]);
      expectStatus(await confirm(lease), 204);
      expectStatus(await confirm(lease), 204);
      const [request, ...others] = await openOf(lease);
      expect(others).toEqual([]);
      expect(request).toMatchObject({ key: 'interruption:1', kind: 'question', title: 'Interrupted. What now?' });
      expect(await interrupt(lease)).toMatchObject({ status: 200, json: { request_id: request?.id } });
      const answer = { option_ids: ['continue'], text: 'But in French' };
      expectStatus(await talk.answer(lease, request as never, answer), 200);
      expect(await api.readTask(lease.task)).toMatchObject({ status: 'running' });
      expect((await talk.inbox(lease)).at(-1)).toMatchObject({ type: 'answer', answer });
    });

    test('of which a person says stop cancels the task', async () => {
      const lease = await talk.start();
      await interrupt(lease);
      await confirm(lease);
      const [request] = await openOf(lease);
      expectStatus(await talk.answer(lease, request as never, { option_ids: ['stop'] }), 200);
      expect((await api.heartbeat(lease)).json).toMatchObject({ cancel_requested: true });
      expect((await talk.inbox(lease)).at(-1)).toMatchObject({ type: 'cancel', reason: 'Stopped by a person' });
    });

    test('needs a running task', async () => {
      const task = await api.createTask((await api.createAgent()).id);
      expectError(await interrupt({ task }), 409, 'task_not_running');
      await api.cancel(task);
      expectError(await interrupt({ task }), 409, 'task_not_running');
      const lease = await talk.start();
      await talk.ask(lease);
      expect(await interrupt(lease)).toMatchObject({ status: 200, json: { request_id: null } });
      await api.release(lease);
      expect(await interrupt(lease)).toMatchObject({ status: 200, json: { request_id: null } });
    });

    test('happens by itself after five seconds', async () => {
      await until(async () => (await api.readTask(slow.task)).status === 'input_required');
      expect(await openOf(slow)).toMatchObject([{ key: 'interruption:1', state: 'open', answer: null }]);
    });
  });

  test('a suspension after a requested cancellation cancels the task', async () => {
    const lease = await talk.start();
    await talk.ask(lease);
    await api.cancel(lease.task);
    expect((await talk.suspend(lease)).json).toMatchObject({ status: 'cancelled' });
    expect(await api.readAttempts(lease.task)).toMatchObject([{ number: 1, outcome: 'suspended' }]);
  });
}
