import { own } from '@agent-fleet/scripts/testing/own';
import { expect, test } from '@jest/globals';
import { type Api, type Lease, pathOf, type Task } from '../../harness/api.ts';
import { expectStatus } from '../../harness/http-client.ts';
import { expectError, expectInvalid } from '../expectations.ts';
import { conversationOf } from './input-requests.ts';

const KIB = 1024;

/** docs/contract.md "Log entries", of types. */
export function specifyTranscripts(api: Api): void {
  const talk = conversationOf(api);
  const write = ({ id, token }: Lease, ...entries: object[]) =>
    api.call('POST', `/leases/${id}/log-entries`, { body: { token, entries } });
  const stream = ({ id, token }: Pick<Lease, 'id' | 'token'>, fields: object) =>
    api.call('POST', `/leases/${id}/deltas`, { body: { token, ...fields } });

  test('entries have types and data, by which they are listed', async () => {
    const lease = await talk.start();
    const call = { type: 'tool_call', data: { call_id: 'c', name: 'Bash', input: { command: 'ls' }, summary: 'ls' } };
    const result = { type: 'tool_result', data: { call_id: 'c', is_error: false, duration_ms: 1, output: 'x' } };
    expectStatus(await write(lease, { text: 'old' }, call, result, { type: 'text', data: { markdown: '*' } }), 204);
    expect(await talk.entries(lease.task, '?types=tool_call,tool_result')).toMatchObject([
      { id: 2, ...call, text: '' },
      { id: 3, ...result },
    ]);
    expect(await talk.entries(lease.task, '?types=log')).toMatchObject([{ id: 1, type: 'log', data: null }]);
    expectInvalid(await api.get(`${pathOf(lease.task)}/log-entries?types=nope`), 'types');
    const list = await api.get(`${pathOf(lease.task)}/log-entries?types=text&limit=1`);
    expect(list.json).toMatchObject([{ id: 4 }]);
  });

  test.each([
    [{ type: 'message', data: { id: 'x', by: { id: 'x', name: 'Ada' }, text: 'Allow all' } }, 'type'],
    [{ type: 'input', data: { request_id: 'x', state: 'answered' } }, 'type'],
    [{ type: 'log' }, 'text'],
    [{ type: 'text', data: { markdown: 'x'.repeat(16 * KIB) } }, 'data'],
    [{ type: 'tool_result', data: { output: 'x'.repeat(16 * KIB) } }, 'data'],
    [{ type: 'tool_call', data: { input: 'x'.repeat(64 * KIB) } }, 'data'],
  ])('a worker cannot write an entry %#', async (entry, path) => {
    expectInvalid(await write(await talk.start(), { text: 'x' }, entry), `entries.1.${path}`);
  });

  test('a followed log has live text and the entries of its types', async () => {
    const lease = await talk.start();
    const followed = await api.stream(`${pathOf(lease.task)}/log-entries?types=text`);
    own(() => followed.close());
    await write(lease, { text: 'left out' }, { type: 'text', data: { markdown: 'first' } });
    await followed.take(1);
    expectStatus(await stream(lease, { text: 'The rel', call_id: 'c' }), 204);
    await followed.take(2);
    await write(lease, { type: 'tool_call', data: {} }, { type: 'text', data: { markdown: 'The release' } });
    const [first, delta, last] = await followed.take(3);
    expect(first).toMatchObject({ id: '2', event: 'log', data: { data: { markdown: 'first' } } });
    expect(delta).toEqual({ id: undefined, event: 'delta', data: { call_id: 'c', text: 'The rel' } });
    expect(last).toMatchObject({ id: '4', event: 'log', data: { data: { markdown: 'The release' } } });
    expect(await talk.entries(lease.task)).toHaveLength(4);
  });

  test('live text is for the holder of the lease, ten times a second', async () => {
    const lease = await talk.start();
    const replies = await Promise.all(Array.from({ length: 30 }, () => stream(lease, { text: 'x' })));
    const statuses = replies.map(({ status }) => status);
    expect(statuses.filter((status) => status === 204).length).toBeGreaterThanOrEqual(10);
    const refused = replies.find(({ status }) => status === 429);
    expectError(refused as (typeof replies)[0], 429, 'rate_limited');
    expectError(await stream({ ...lease, token: 'x' }, { text: 'x' }), 409, 'lease_lost');
    expectInvalid(await stream({ ...lease, token: 'y' }, { text: 'x'.repeat(16 * KIB + 1) }), 'text');
    await api.report(lease);
    expectError(await stream({ ...lease, token: 'z' }, { text: 'x' }), 409, 'lease_lost');
  });

  test('a thread is all tasks that continue each other, oldest first', async () => {
    const { id: agent } = await api.createAgent();
    const ended = async (continue_of?: string): Promise<Task> => {
      const task = await api.createTask(agent, { ...(continue_of && { continue_of }) });
      await api.cancel(task);
      return task;
    };
    const first = await ended();
    const second = await ended(first.id);
    const sibling = await ended(first.id);
    const last = await ended(second.id);
    const ids = [first, second, sibling, last].map(({ id }) => id);
    for (const task of [first, sibling, last]) {
      const thread = expectStatus<Task[]>(await api.get(`${pathOf(task)}/thread`), 200);
      expect(thread.map(({ id }) => id)).toEqual(ids);
    }
    expect(await api.readTask(first)).toMatchObject({ continued_by: [second.id, sibling.id] });
    await api.call('DELETE', pathOf(second));
    const thread = expectStatus<Task[]>(await api.get(`${pathOf(last)}/thread`), 200);
    expect(thread.map(({ id }) => id)).toEqual([last.id]);
  });
}
