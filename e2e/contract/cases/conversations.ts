import { type Lease, pathOf } from '../../harness/api.ts';
import { type CallOptions, expectStatus } from '../../harness/http-client.ts';
import {
  BAD_HOST,
  type ContractCase,
  type ContractCases,
  idempotently,
  locally,
  MIB,
  ofAgents,
  type Prepare,
  type World,
  withBody,
} from '../contract-case.ts';

const KIB = 1024;
const ACCEPTS = ['messages', 'steer', 'interrupt', 'input'];
const MISSING = '/agents/:agent/tasks/missing';

type Take = (world: World) => Promise<Lease>;
type Use = (take: Take) => Prepare;

/** Leases a task of a new agent to a worker that takes everything. */
const hold: Take = async ({ api }) => api.createRunning((await api.createAgent()).id, {}, { accepts: ACCEPTS });

/** To one that takes nothing. */
const holdDeaf: Take = async ({ api }) => api.createRunning((await api.createAgent()).id);

/** A lease that its holder has released. */
const lose: Take = async (world) => {
  const lease = await hold(world);
  await world.api.release(lease);
  return lease;
};

const asked = ({ token }: Lease) => ({ token, key: 'k', kind: 'approval', title: 'Run a command' });

/** A lease of a task that asks, and the request. */
async function holdAsking(world: World): Promise<Lease & { request: string }> {
  const lease = await hold(world);
  const reply = await world.api.call('POST', `/leases/${lease.id}/input-requests`, { body: asked(lease) });
  return { ...lease, request: expectStatus<{ id: string }>(reply, 201).id };
}

const createRequest: Use = (take) => async (world) => {
  const lease = await take(world);
  return { method: 'POST', path: `/leases/${lease.id}/input-requests`, body: asked(lease) };
};
const askOtherwise: Prepare = async (world) => {
  const lease = await holdAsking(world);
  return { ...(await createRequest(async () => lease)(world)), body: { ...asked(lease), title: 'Another' } };
};
const withdraw: Use = (take) => async (world) => {
  const { id, token, request = 'none' } = (await take(world)) as Lease & { request?: string };
  return { method: 'DELETE', path: `/leases/${id}/input-requests/${request}`, headers: { 'x-lease-token': token } };
};
const readInbox: Use = (take) => async (world) => {
  const { id, token } = await take(world);
  return { method: 'GET', path: `/leases/${id}/inbox`, headers: { 'x-lease-token': token } };
};
const suspend: Use = (take) => async (world) => {
  const { id, token } = await take(world);
  return { method: 'PUT', path: `/leases/${id}/suspension`, body: { token, state: { at: 1 } } };
};
const suspendWithData: Prepare = async (world) => {
  const { body, ...request } = await suspend(holdAsking)(world);
  const session = { runtime: 'claude-code', id: 's1', data: 'H4sIAAAA' };
  return { ...request, body: { ...(body as object), session } };
};
const confirm: Use = (take) => async (world) => {
  const { id, token } = await take(world);
  return { method: 'PUT', path: `/leases/${id}/interruption`, body: { token } };
};
const sendDelta: Use = (take) => async (world) => {
  const { id, token } = await take(world);
  return { method: 'POST', path: `/leases/${id}/deltas`, body: { token, text: 'The ' } };
};
const reportMessage: Use = (take) => async (world) => {
  const { id, token, task } = await take(world);
  const report = { token, state: 'delivered', as: 'queue' };
  const sent = await world.api.call('POST', `${pathOf(task)}/messages`, { body: { text: 'Faster' } });
  const { id: message = 'missing' } = sent.json as { id?: string };
  return { method: 'PUT', path: `/leases/${id}/messages/${message}`, body: report };
};

const answer =
  (body: unknown, earlier?: unknown): Prepare =>
  async (world) => {
    const { task, request } = await holdAsking(world);
    const path = `${pathOf(task)}/input-requests/${request}/answer`;
    if (earlier) expectStatus(await world.api.call('PUT', path, { body: earlier }), 200);
    return { method: 'PUT', path, body };
  };
const allow = { option_ids: ['allow'] };

const send: Prepare = async ({ api, agent }) => {
  const path = `${pathOf(await api.createTask(agent.id))}/messages`;
  return { method: 'POST', path, body: { text: 'Write them in French' } };
};
const sayTo =
  (take: Take): Prepare =>
  async (world) => ({ method: 'POST', path: `${pathOf((await take(world)).task)}/messages`, body: { text: 'Faster' } });
/** With as many messages as a task may have that are not delivered. */
const fill: Take = async (world) => {
  const lease = await hold(world);
  const { method, path, ...options } = await sayTo(async () => lease)(world);
  for (let sent = 0; sent < 100; sent += 10) {
    await Promise.all(Array.from({ length: 10 }, () => world.api.call(method, path, options)));
  }
  return lease;
};
const { 409: inProgress, 422: reused } = idempotently(send, () => ({ text: 'Another' }));
const ofTask =
  (method: string, rest: string, take?: Take, options?: CallOptions): Prepare =>
  async (world) => {
    const task = take ? (await take(world)).task : world.task;
    return { method, path: pathOf(task) + rest, ...options };
  };

const listMessages = ofTask('GET', '/messages');
const readThread = ofTask('GET', '/thread');
const listOfTask = ofTask('GET', '/input-requests', holdAsking);
const readRequest: Prepare = async (world) => {
  const { task, request } = await holdAsking(world);
  return { method: 'GET', path: `${pathOf(task)}/input-requests/${request}` };
};
const list: Prepare = async (world) => {
  await holdAsking(world);
  return { method: 'GET', path: '/input-requests' };
};
const interrupt = (take?: Take) => ofTask('PUT', '/interruption', take);

const used = (use: Use, path: string) => ({ 404: path, 409: use(lose) });

export const CONVERSATION_CASES: Record<string, ContractCases> = {
  'GET /input-requests': ofAgents(list, { 200: list, 400: '/input-requests?state=any' }),
  'GET /agents/{agent_id}/tasks/{task_id}/input-requests': ofAgents(listOfTask, {
    200: listOfTask,
    400: '/agents/:agent/tasks/any/input-requests?limit=0',
    404: `${MISSING}/input-requests`,
  }),
  'GET /agents/{agent_id}/tasks/{task_id}/input-requests/{request_id}': ofAgents(readRequest, {
    200: readRequest,
    400: BAD_HOST,
    404: ofTask('GET', '/input-requests/missing'),
  }),
  'PUT /agents/{agent_id}/tasks/{task_id}/input-requests/{request_id}/answer': withBody(answer(allow), {
    200: answer(allow),
    404: ofTask('PUT', '/input-requests/missing/answer', undefined, { body: allow }),
    409: answer(allow, { option_ids: ['deny'] }),
  }),
  'POST /leases/{lease_id}/input-requests': withBody(
    createRequest(hold),
    {
      200: createRequest(holdAsking),
      201: createRequest(hold),
      404: '/leases/missing/input-requests',
      409: createRequest(lose),
      '409 input_not_accepted': createRequest(holdDeaf),
      422: askOtherwise,
    },
    512 * KIB,
  ),
  'DELETE /leases/{lease_id}/input-requests/{request_id}': ofAgents(withdraw(holdAsking), {
    204: withdraw(holdAsking),
    400: { headers: { 'x-lease-token': '' } },
    ...used(withdraw, '/leases/missing/input-requests/any'),
  }),
  'POST /agents/{agent_id}/tasks/{task_id}/messages': {
    ...withBody(send, {
      202: send,
      404: `${MISSING}/messages`,
      409: sayTo(holdDeaf),
      '409 too_many_messages': sayTo(fill),
    }),
    422: reused as ContractCase,
    '409 idempotent_request_in_progress': inProgress as ContractCase,
  },
  'GET /agents/{agent_id}/tasks/{task_id}/messages': ofAgents(listMessages, {
    200: listMessages,
    400: '/agents/:agent/tasks/any/messages?limit=0',
    404: `${MISSING}/messages`,
  }),
  'PUT /agents/{agent_id}/tasks/{task_id}/interruption': ofAgents(interrupt(hold), {
    200: interrupt(holdAsking),
    202: interrupt(hold),
    400: BAD_HOST,
    404: `${MISSING}/interruption`,
    409: interrupt(holdDeaf),
    '409 task_not_running': interrupt(),
  }),
  'PUT /leases/{lease_id}/interruption': withBody(confirm(hold), {
    204: confirm(hold),
    ...used(confirm, '/leases/missing/interruption'),
  }),
  'PUT /leases/{lease_id}/messages/{message_id}': withBody(reportMessage(hold), {
    204: reportMessage(hold),
    ...used(reportMessage, '/leases/missing/messages/any'),
  }),
  'GET /leases/{lease_id}/inbox': ofAgents(readInbox(hold), {
    200: readInbox(hold),
    400: { headers: { 'x-lease-token': '' } },
    ...used(readInbox, '/leases/missing/inbox'),
  }),
  'PUT /leases/{lease_id}/suspension': {
    ...withBody(
      suspend(holdAsking),
      {
        200: suspend(holdAsking),
        404: '/leases/missing/suspension',
        409: suspend(lose),
        '409 nothing_to_wait_for': suspend(hold),
      },
      1.5 * MIB,
    ),
    // The fleet with faults has no key to encrypt it.
    422: locally(suspendWithData),
  },
  'POST /leases/{lease_id}/deltas': withBody(sendDelta(hold), {
    204: sendDelta(hold),
    ...used(sendDelta, '/leases/missing/deltas'),
  }),
  'GET /agents/{agent_id}/tasks/{task_id}/thread': ofAgents(readThread, {
    200: readThread,
    400: '/agents/:agent/tasks/any/thread?fields=none',
    404: `${MISSING}/thread`,
  }),
};
