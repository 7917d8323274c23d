import { expect, test } from '@jest/globals';
import { type Api, type Lease, pathOf, type Task } from '../../harness/api.ts';
import { type CallOptions, expectStatus } from '../../harness/http-client.ts';

interface AuditEvent {
  action: string;
  outcome: string;
}

/** docs/contract.md "Audit": changes of agents and tasks. */
export function specifyAgentAudit(api: Api): void {
  const { accounts } = api;
  const read = async (target: string) => (await api.get(`/audit-events?target=${target}`)).json as AuditEvent[];
  const actionsOf = async (target: string) => (await read(target)).map(({ action, outcome }) => `${action} ${outcome}`);
  const success = (...actions: string[]) => actions.map((action) => `${action} success`);

  async function createPerson() {
    const account = await accounts.create('admin');
    const as = await accounts.signInAs(account);
    const send = (method: string, path: string, body?: unknown, headers: CallOptions['headers'] = {}) =>
      api.call(method, path, { as, body, headers });
    return { account, send };
  }

  test('each change by a person has its event, those by a key none', async () => {
    const { send } = await createPerson();
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
    const ofAgent = ['agent.created', 'agent.replaced', 'agent.paused', 'agent.resumed', 'tasks.created'];
    expect(await actionsOf(id)).toEqual(success(...ofAgent, 'agent.deleted'));
    const ofTask = ['task.created', 'task.replaced', 'task.cancelled', 'task.deleted'];
    expect(await actionsOf(task.id)).toEqual(success(...ofTask));
    expect(await actionsOf(retry.id)).toEqual(success('task.retried'));
    expect(await actionsOf(bulk.id)).toEqual(success('bulk_action.created'));
    expect(await actionsOf(byKey.id)).toEqual([]);
  });

  test('an event says who it was, from where, and by which request, and has nothing of the body', async () => {
    const { account, send } = await createPerson();
    const response = await send('POST', '/agents', { name: 'A secret', type: api.types[0] });
    const { id } = expectStatus<{ id: string }>(response, 201);
    expect(await read(id)).toEqual([
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
    const { send } = await createPerson();
    const { id } = await api.createAgent();
    await api.createTask(id);
    const { leases } = expectStatus<{ leases: [Lease] }>(
      await send('POST', `/agents/${id}/leases`, { worker_id: 'w' }),
      201,
    );
    const [{ id: lease, token, task }] = leases;
    expectStatus(await send('POST', `/leases/${lease}/log-entries`, { token, entries: [{ text: 'x' }] }), 204);
    expectStatus(await send('PUT', `/leases/${lease}/result`, { token, status: 'completed' }), 200);
    expectStatus(await send('GET', `/agents/${id}`), 200);
    expectStatus(await send('PUT', `/agents/${id}`, {}), 400);
    const stale = { 'if-match': '"x"' };
    expectStatus(await send('PUT', `/agents/${id}`, { name: 'y', type: api.types[0] }, stale), 412);
    expectStatus(await send('DELETE', `/agents/${id}/tasks/missing`), 404);
    const key = { 'idempotency-key': crypto.randomUUID() };
    const create = async () =>
      expectStatus<Task>(await send('POST', `/agents/${id}/tasks`, { message: 'x' }, key), 201);
    const created = [await create(), await create()];
    for (const { id: taskId } of created) expect(await actionsOf(taskId)).toEqual(success('task.created'));
    for (const target of [id, task.id, lease, 'missing']) expect([target, await read(target)]).toEqual([target, []]);
  });
}
