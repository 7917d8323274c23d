import { until } from '@agent-fleet/shared/testing/until';
import type { Pass } from '../model/entities.ts';
import { createTime } from '../model/time.ts';
import { createFor, passReservation, runBy } from '../reservations/continue.ts';
import type { Lease } from '../support/client.ts';
import type { StartedService } from '../support/start-service.ts';

/** More than one step of a batch or of a deletion. */
const MANY = 120;

/** Prepares a change, and returns it. */
type Prepare = (service: StartedService) => Promise<() => PromiseLike<unknown>>;

interface Change {
  name: string;
  /** Whether one script makes the whole change; else it has steps that are whole each. */
  isOneScript: boolean;
  prepare: Prepare;
}

/** Every kind of change. */
export const CHANGES: Change[] = [
  whole('creates an agent', async (service) => {
    return () => create(service, '/agents', { name: 'x', type: 'claude' });
  }),
  whole('replaces an agent', async ({ http, createAgent }) => {
    const id = await createAgent();
    return () => http.put(`/agents/${id}`).send({ name: 'y', type: 'claude' }).expect(200);
  }),
  whole('pauses an agent', async (service) => {
    const id = await createBusyAgent(service);
    return () => service.http.put(`/agents/${id}/pause`).send({ reason: 'x' }).expect(200);
  }),
  whole('resumes an agent', async (service) => {
    const id = await createBusyAgent(service);
    await service.http.put(`/agents/${id}/pause`).expect(200);
    return () => service.http.delete(`/agents/${id}/pause`).expect(204);
  }),
  whole('gives an agent with tasks another type', async (service) => {
    const id = await createBusyAgent(service);
    return () => service.http.put(`/agents/${id}`).send({ name: 'y', type: 'gpt' }).expect(200);
  }),
  inSteps('deletes an agent with its tasks', async (service) => {
    const { http, redis, keys } = service;
    const id = await createBusyAgent(service);
    return async () => {
      await http.delete(`/agents/${id}`).expect(204);
      await until(async () => (await redis.hlen(keys.purges)) === 0);
    };
  }),
  whole('replaces a definition, so that more tasks may run', async (service) => {
    const id = await createBusyAgent(service);
    await service.http.put(`/agents/${id}/definition`).send({ max_concurrency: 1 }).expect(201);
    return () =>
      service.http
        .put(`/agents/${id}/definition`)
        .send({ max_concurrency: 9, tags: ['a'] })
        .expect(200);
  }),
  whole('creates a task with labels behind another one of its concurrency key', async (service) => {
    const id = await service.createAgent();
    await service.createTask(id, { concurrency_key: 'k' });
    const body = { message: 'x', concurrency_key: 'k', priority: 1, requires: ['gpu'] };
    return () => create(service, `/agents/${id}/tasks`, body);
  }),
  whole('creates a task', async (service) => {
    const id = await service.createAgent();
    return () => create(service, `/agents/${id}/tasks`, { message: 'x', tags: ['a', 'b'] });
  }),
  inSteps('creates a batch of tasks', async (service) => {
    const path = `/agents/${await service.createAgent()}/task-batches`;
    const tasks = Array.from({ length: MANY }, () => ({ message: 'x', tags: ['a'] }));
    return () => create(service, path, { tasks });
  }),
  inBulk('cancels tasks in bulk', 'cancel', { status: 'pending' }),
  inBulk('retries tasks in bulk', 'retry', { status: 'cancelled' }),
  inBulk('deletes tasks in bulk', 'delete', { status: 'cancelled' }),
  ofTask('replaces a task', ({ http }, path) => http.put(path).send({ message: 'y', priority: 1 }).expect(200)),
  ofTask('schedules a task', ({ http }, path) => http.put(path).send(inOneHour()).expect(200)),
  ofTask('deletes a task', ({ http }, path) => http.delete(path).expect(204)),
  ofTask('cancels a pending task', ({ http }, path) => http.put(`${path}/cancellation`).expect(200)),
  inSteps('leases tasks of an agent', async (service) => {
    const id = await service.createAgent();
    await service.createTasks(id, 4);
    return () => service.lease(id, { max_tasks: 3 });
  }),
  inSteps('leases tasks by type', async (service) => {
    for (let at = 0; at < 3; at++) await service.createTask(await service.createAgent('gemini'));
    return () => service.leaseByType('gemini', { max_tasks: 3 });
  }),
  whole('creates a task that is reserved', async (service) => {
    const id = await service.createAgent();
    const continue_of = await runBy(service, id, 'home');
    return () => create(service, `/agents/${id}/tasks`, { message: 'x', continue_of });
  }),
  ofReserved('leases a reserved task', ({ lease }, { agent_id }) => lease(agent_id, { worker_id: 'home' })),
  ofReserved('cancels a reserved task', ({ http }, task) => http.put(`${pathOf(task)}/cancellation`).expect(200)),
  inSteps('ends a reservation', async (service) => {
    const { id, agent_id } = await createFor(service, await service.createAgent(), 'home');
    return async () => {
      await passReservation(service, id);
      await until(async () => (await service.redis.exists(service.keys.queue(agent_id))) === 1);
    };
  }),
  ofLease('sends a heartbeat', ({ http }, { id, token }) =>
    http.put(`/leases/${id}/heartbeat`).send({ token }).expect(200),
  ),
  ofLease('reports progress', ({ http }, { id, token }) =>
    http
      .put(`/leases/${id}/heartbeat`)
      .send({ token, progress: { percent: 5 } })
      .expect(200),
  ),
  ofLease('adds log entries', ({ http }, { id, token }) =>
    http
      .post(`/leases/${id}/log-entries`)
      .send({ token, entries: Array.from({ length: 100 }, (_, at) => ({ text: `${at}` })) })
      .expect(204),
  ),
  inSteps('drops log entries', async (service) => {
    const { id, token } = await leaseTask(service);
    const entries = Array(95).fill({ text: 'x'.repeat(16_384) });
    const add = () => service.http.post(`/leases/${id}/log-entries`).send({ token, entries }).expect(204);
    for (let times = 0; times < 3; times++) await add();
    return add;
  }),
  ofLease('completes a task', ({ report }, lease) => report(lease, { status: 'completed', result: 1 }).expect(200)),
  ofLease('retries a task', ({ report }, lease) => report(lease, { status: 'failed' }).expect(200)),
  ofLease('fails a task', ({ report }, lease) =>
    report(lease, { status: 'failed', error: { code: 'x', message: 'x', retryable: false } }).expect(200),
  ),
  ofLease('gives a task up', ({ report }, lease) => report(lease, { status: 'cancelled' }).expect(200)),
  ofLease('releases a task', ({ release }, lease) => release(lease).expect(204)),
  ofLease('asks to cancel a running task', ({ http }, { task }) =>
    http.put(`${pathOf(task)}/cancellation`).expect(202),
  ),
  ofLease('deletes a running task', ({ http }, { task }) => http.delete(pathOf(task)).expect(204)),
  ofLease('asks a person', (service, lease) => askPerson(service, lease)),
  ofRequest('answers a request', (service, { task }, id) =>
    service.http
      .put(`${pathOf(task)}/input-requests/${id}/answer`)
      .send({ text: 'x' })
      .expect(200),
  ),
  ofRequest('withdraws a request', ({ http }, { id, token }, request) =>
    http.delete(`/leases/${id}/input-requests/${request}`).set('x-lease-token', token).expect(204),
  ),
  ofRequest('suspends a task', ({ http }, { id, token }) =>
    http.put(`/leases/${id}/suspension`).send({ token, state: 1 }).expect(200),
  ),
  ofRequest('ends a task that waits', ({ report }, lease) => report(lease, { status: 'completed' }).expect(200)),
  ofTask('sends a message', ({ http }, path) => http.post(`${path}/messages`).send({ text: 'x' }).expect(202)),
  ofDeadline('fails a task whose request expires', 'request', async (service) => {
    const lease = await leaseTask(service);
    await askPerson(service, lease);
    return lease;
  }),
  ofDeadline('takes a task back when its lease ends', 'lease', leaseTask),
  ofDeadline('takes a task back when its attempt ends', 'timeout', leaseTask),
  ofDeadline('fails a task that expires', 'expiry', (service) => createTask(service)),
  ofDeadline('queues a task at its start', 'start', (service) => createTask(service, inOneHour())),
  ofDeadline('removes an ended task after its retention', 'retention', async (service) => {
    const lease = await leaseTask(service);
    await service.report(lease, { status: 'completed' }).expect(200);
    return lease;
  }),
];

function whole(name: string, prepare: Prepare): Change {
  return { name, isOneScript: true, prepare };
}

function inSteps(name: string, prepare: Prepare): Change {
  return { name, isOneScript: false, prepare };
}

function inBulk(name: string, action: string, filter: object): Change {
  return inSteps(name, async (service) => {
    const agent_id = await createBusyAgent(service);
    const run = async (body: object) => {
      const { location } = (await service.http.post('/bulk-actions').send(body).expect(202)).headers;
      await until(async () => (await service.http.get(String(location))).body.state === 'completed');
    };
    if (action !== 'cancel') await run({ action: 'cancel', filter: { agent_id, status: 'pending' } });
    return () => run({ action, filter: { agent_id, ...filter } });
  });
}

function ofTask(name: string, change: (service: StartedService, path: string) => PromiseLike<unknown>): Change {
  return whole(name, async (service) => {
    const { task } = await createTask(service);
    return () => change(service, pathOf(task));
  });
}

function ofReserved(
  name: string,
  change: (service: StartedService, task: Lease['task']) => PromiseLike<unknown>,
): Change {
  return whole(name, async (service) => {
    const task = await createFor(service, await service.createAgent(), 'home');
    return () => change(service, task);
  });
}

function ofLease(name: string, change: (service: StartedService, lease: Lease) => PromiseLike<unknown>): Change {
  return whole(name, async (service) => {
    const lease = await leaseTask(service);
    return () => change(service, lease);
  });
}

/** Of a task that has asked something. */
function ofRequest(
  name: string,
  change: (service: StartedService, lease: Lease, request: string) => PromiseLike<unknown>,
): Change {
  return whole(name, async (service) => {
    const lease = await leaseTask(service);
    const { body } = await askPerson(service, lease);
    return () => change(service, lease, body.id);
  });
}

const askPerson = ({ http }: StartedService, { id, token }: Lease) =>
  http.post(`/leases/${id}/input-requests`).send({ token, key: 'k', kind: 'question', title: 'x' }).expect(201);

/** A deadline that the test moves, and the change by the timers. */
function ofDeadline(
  name: string,
  what: Pass['what'],
  prepare: (service: StartedService) => Promise<Pick<Lease, 'task'>>,
): Change {
  return inSteps(name, async (service) => {
    const { task } = await prepare(service);
    const time = createTime(service.redis, service.keys);
    return () => time.pass({ agentId: task.agent_id, taskId: task.id, what });
  });
}

const create = ({ http }: StartedService, path: string, body: object) =>
  http.post(path).set('idempotency-key', `${Math.random()}`).send(body).expect(201);

const inOneHour = () => ({ message: 'y', scheduled_at: new Date(Date.now() + 3_600_000).toISOString() });

const pathOf = ({ id, agent_id }: Lease['task']) => `/agents/${agent_id}/tasks/${id}`;

async function createTask(service: StartedService, fields: object = {}): Promise<Pick<Lease, 'task'>> {
  return { task: await service.createTask(await service.createAgent(), { tags: ['a'], ...fields }) };
}

async function leaseTask(service: StartedService): Promise<Lease> {
  const { task } = await createTask(service);
  return (await service.lease(task.agent_id, { accepts: ['input', 'messages'] })).body.leases[0];
}

/** An agent with many pending tasks and a running one. */
async function createBusyAgent(service: StartedService): Promise<string> {
  const id = await service.createAgent();
  await service.createTasks(id, MANY, { tags: ['a'] });
  await service.lease(id);
  return id;
}
