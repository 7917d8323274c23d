import { AgentsApi, Configuration, LeasesApi, RegistryApi, type ResponseError, TasksApi } from './client/index';

const { FLEET_URL = '', FLEET_KEY = '', FLEET_TYPE, NAME = '' } = process.env;
const settings = new Configuration({ basePath: FLEET_URL, apiKey: FLEET_KEY });
const [agentsApi, tasksApi, leasesApi] = [new AgentsApi(settings), new TasksApi(settings), new LeasesApi(settings)];

const { id: agentId } = await agentsApi.createAgent({ agentInput: { name: NAME, type: FLEET_TYPE as 'claude' } });
const agents = await agentsApi.listAgents({ fields: 'paused_at', name: NAME });
await tasksApi.createTask({ agentId, taskInput: { message: 'Do it', skills: ['plan'] } });
const [task] = await tasksApi.listAgentTasks({ agentId, fields: 'status,skills' });
const leases = await leasesApi.leaseAgentTasks({ agentId, agentLeaseRequest: { workerId: NAME } });
if (!leases) throw new Error('There is no task');
const [lease] = leases.leases;
const done = await leasesApi.putLeaseResult({
  leaseId: lease.id,
  taskResult: { token: lease.token, status: 'completed' },
});
const { skills } = await new RegistryApi(settings).getCatalogue({ q: 'review', limit: 1 });
const retry = { agentId, taskInput: { message: 'Again', retryOf: 'missing' } };
const refused = (await tasksApi.createTask(retry).catch((error) => error)) as ResponseError;
const { error } = await refused.response.json();
console.log(agents.length, task.status, task.skills?.[0], lease.task.message, done.status, skills.length, error);
