import {
  createAgent,
  createTask,
  getCatalogue,
  leaseAgentTasks,
  listAgents,
  listAgentTasks,
  putLeaseResult,
} from './client/client';

const { FLEET_URL, FLEET_KEY = '', FLEET_TYPE, NAME = '' } = process.env;
const send = fetch;
globalThis.fetch = (url, init) => send(FLEET_URL + String(url), init);
const key = { headers: { 'X-API-Key': FLEET_KEY } };

const created = await createAgent({ name: NAME, type: FLEET_TYPE as 'claude' }, key);
const { id } = expectStatus(created, 201);
const agents = expectStatus(await listAgents({ fields: 'paused_at', name: NAME }, key), 200);
await createTask(id, { message: 'Do it', skills: ['plan'] }, key);
const [task] = expectStatus(await listAgentTasks(id, { fields: 'status,skills' }, key), 200);
const [lease] = expectStatus(await leaseAgentTasks(id, { worker_id: NAME }, key), 201).leases;
const result = { token: lease.token, status: 'completed' } as const;
const done = expectStatus(await putLeaseResult(lease.id, result, key), 200);
const { skills } = expectStatus(await getCatalogue({ q: 'review', limit: 1 }, key), 200);
const { error } = expectStatus(await createTask(id, { message: 'Again', retry_of: 'missing' }, key), 422);
console.log(agents.length, task.status, task.skills?.[0], lease.task.message, done.status, skills.length, error);

function expectStatus<Given extends { status: number; data: unknown }, Status extends Given['status']>(
  given: Given,
  status: Status,
): Extract<Given, { status: Status }>['data'] {
  if (given.status !== status) throw new Error(JSON.stringify(given));
  return given.data as Extract<Given, { status: Status }>['data'];
}
