import { createClient } from './client/client';
import {
  createAgent,
  createTask,
  getCatalogue,
  leaseAgentTasks,
  listAgents,
  listAgentTasks,
  putLeaseResult,
} from './client/sdk.gen';

const { FLEET_URL, FLEET_KEY = '', FLEET_TYPE, NAME = '' } = process.env;
const auth = ({ type, in: place }: { type: string; in?: string }) =>
  type === 'apiKey' && place !== 'cookie' ? FLEET_KEY : undefined;
const client = createClient({ baseUrl: FLEET_URL, auth });
const known = { client, throwOnError: true } as const;

const { data: agent } = await createAgent({ ...known, body: { name: NAME, type: FLEET_TYPE as 'claude' } });
const path = { agent_id: agent.id };
const { data: agents } = await listAgents({ ...known, query: { fields: 'paused_at', name: NAME } });
await createTask({ ...known, path, body: { message: 'Do it', skills: ['plan'] } });
const { data: tasks } = await listAgentTasks({ ...known, path, query: { fields: 'status,skills' } });
const [task] = tasks;
const { data: leases } = await leaseAgentTasks({ ...known, path, body: { worker_id: NAME } });
if (!leases) throw new Error('There is no task');
const [lease] = leases.leases;
const body = { token: lease.token, status: 'completed' } as const;
const { data: done } = await putLeaseResult({ ...known, path: { lease_id: lease.id }, body });
const { data: catalogue } = await getCatalogue({ ...known, query: { q: 'review', limit: 1 } });
const { error } = await createTask({ client, path, body: { message: 'Again', retry_of: 'missing' } });
const code = error && 'error' in error ? error.error : error;
console.log(
  agents.length,
  task.status,
  task.skills?.[0],
  lease.task.message,
  done.status,
  catalogue.skills.length,
  code,
);
