import { expect, test } from '@jest/globals';
import { type Api, type Lease, pathOf, type Task } from '../../harness/api.ts';
import { type CallOptions, expectStatus } from '../../harness/http-client.ts';

interface AuditEvent {
  action: string;
  outcome: string;
  target: { id: string } | null;
}

/** docs/contract.md "Audit": changes of agents and tasks. */
export function specifyAgentAudit(api: Api): void {
  const { accounts } = api;
  const read = async (query: string) => (await api.get(`/audit-events?${query}`)).json as AuditEvent[];

  async function createPerson() {
    const account = await accounts.create('admin');
    const as = await accounts.signInAs(account);
    const send = (method: string, path: string, body?: unknown, headers: CallOptions['headers'] = {}) =>
      api.call(method, path, { as, body, headers });
    /** What the person has done since the sign-in. */
    const readActions = async () => {
      const [signIn, ...events] = await read(`actor=${account.id}`);
      expect(signIn?.action).toBe('token.issued');
      return events.map(({ action, outcome, target }) => [action, outcome, target?.id]);
    };
    return { account, send, readActions };
  }

  test('each change by a person has its event, those by a key none', async () => {
    const { send, readActions } = await createPerson();
    const body = { name: 'Audited', type: api.types[0] };
    const { id } = expectStatus<{ id: string }>(await send('POST', '/agents', body), 201);
    await send('PUT', `/agents/${id}`, body);
    await send('PUT', `/agents/${id}/pause`);
    await send('DELETE', `/agents/${id}/pause`);
    const task = expectStatus<Task>(await send('POST', `/agents/${id}/tasks`, { message: 'x' }), 201);
    await send('PUT', pathOf(task), { message: 'y' });
    await send('PUT', `${pathOf(task)}/cancellation`);
    const retry = expectStatus<Task>(await send('POST', `${pathOf(task)}/retries`), 201);
    const action = { action: 'cancel', filter: { agent_id: id, status: 'pending' } };
    expectStatus(await send('POST', '/bulk-actions', { ...action, dry_run: true }), 200);
    const bulk = expectStatus<{ id: string }>(await send('POST', '/bulk-actions', action), 202);
    await send('DELETE', pathOf(task));
    await send('POST', `/agents/${id}/task-batches`, { tasks: Array(60).fill({ message: 'x' }) });
    const byKey = await api.createTask(id);
    await send('DELETE', `/agents/${id}`);
    expect(await readActions()).toEqual(
      [
        ['agent.created', id],
        ['agent.replaced', id],
        ['agent.paused', id],
        ['agent.resumed', id],
        ['task.created', task.id],
        ['task.replaced', task.id],
        ['task.cancelled', task.id],
        ['task.retried', retry.id],
        ['bulk_action.created', bulk.id],
        ['task.deleted', task.id],
        ['tasks.created', id],
        ['agent.deleted', id],
      ].map(([name, target]) => [name, 'success', target]),
    );
    expect(await read(`target=${byKey.id}`)).toEqual([]);
  });

  test('an event says who it was, from where, and by which request, and has nothing of the body', async () => {
    const { account, send } = await createPerson();
    const response = await send('POST', '/agents', { name: 'A secret', type: api.types[0] });
    const { id } = expectStatus<{ id: string }>(response, 201);
    expect(await read(`target=${id}`)).toEqual([
      {
        id: expect.any(String),
        at: expect.any(String),
        actor: { type: 'user', id: account.id, name: account.email },
        action: 'agent.created',
        target: { type: 'agent', id },
        outcome: 'success',
        address: expect.stringMatching(/^[\d.:a-f]+$/),
        request_id: response.headers['x-request-id'],
      },
    ]);
    await api.call('DELETE', `/agents/${id}`);
  });

  test('what a person works, reads, repeats, or is refused has none', async () => {
    const { send, readActions } = await createPerson();
    const { id } = await api.createAgent();
    await api.createTask(id);
    const lease = await send('POST', `/agents/${id}/leases`, { worker_id: 'w' });
    const [held] = expectStatus<{ leases: [Lease] }>(lease, 201).leases;
    const { token } = held;
    expectStatus(await send('POST', `/leases/${held.id}/log-entries`, { token, entries: [{ text: 'x' }] }), 204);
    expectStatus(await send('PUT', `/leases/${held.id}/result`, { token, status: 'completed' }), 200);
    expectStatus(await send('GET', `/agents/${id}`), 200);
    expectStatus(await send('PUT', `/agents/${id}`, {}), 400);
    const stale = { 'if-match': '"x"' };
    expectStatus(await send('PUT', `/agents/${id}`, { name: 'y', type: api.types[0] }, stale), 412);
    expectStatus(await send('DELETE', `/agents/${id}/tasks/missing`), 404);
    const key = { 'idempotency-key': crypto.randomUUID() };
    const create = () => send('POST', `/agents/${id}/tasks`, { message: 'x' }, key);
    const [task] = [expectStatus<Task>(await create(), 201), expectStatus<Task>(await create(), 201)];
    expect(await readActions()).toEqual([['task.created', 'success', task.id]]);
  });
}
