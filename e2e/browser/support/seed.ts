import { until } from '@agent-fleet/shared/testing/until';
import type { Account, NewApiKey } from '../../harness/accounts.ts';
import { type Agent, type Api, pathOf, type Task } from '../../harness/api.ts';
import { expectStatus } from '../../harness/http-client.ts';
import { SKILL } from './skills.ts';
import { createTasks, type SeedTasks } from './tasks.ts';

const WORKER = 'builder-1';
const SHORTEST_LEASE_SECONDS = 5;
const OFFLINE_TIMEOUT_MS = 60_000;

interface Skill {
  id: string;
  name: string;
}

/** What a fleet has after a few days of use. */
export interface Seed {
  /** Has tasks in each status. */
  agent: Agent;
  paused: Agent;
  tasks: SeedTasks;
  skill: Skill;
  user: Account;
  key: NewApiKey;
}

/** Agents of each type in each status, tasks in each status, workers, a user and a key. */
export async function seedFleet(api: Api): Promise<Seed> {
  const [agent, paused] = await Promise.all([
    api.createAgent({ name: 'Release notes writer' }),
    createPausedAgent(api, 'Invoice reader', 'The accounts are being closed until Friday.'),
    ...api.types.map((type) => createAgentsOf(api, type)),
  ]);
  const tasks = await createTasks(api, agent, WORKER);
  const [user, key, skill] = [await api.accounts.create('operator'), await createKey(api), await findSkill(api)];
  return { agent, paused, tasks, user, key, skill };
}

async function createPausedAgent(api: Api, name: string, reason: string): Promise<Agent> {
  const agent = await api.createAgent({ name });
  await api.createTask(agent.id, { message: 'Read the invoices of October' });
  expectStatus(await api.call('PUT', `/agents/${agent.id}/pause`, { body: { reason } }), 200);
  return agent;
}

/** One agent in each status. */
async function createAgentsOf(api: Api, type: string): Promise<void> {
  const work = { message: 'Translate the handbook', max_attempts: 1 };
  const create = (name: string) => api.createAgent({ name: `${name} (${type})`, type });
  const [, active, failing, lost] = await Promise.all(['Waiter', 'Translator', 'Crawler', 'Laptop'].map(create));
  if (!active || !failing || !lost) return;
  await api.createRunning(active.id, work, { worker_id: WORKER, lease_seconds: 900 });
  const error = { code: 'page_missing', message: 'https://example.com/handbook is 404', retryable: false };
  const lease = await api.createRunning(failing.id, work, { worker_id: WORKER });
  expectStatus(await api.report(lease, { status: 'failed', error }), 200);
  await api.createRunning(lost.id, work, { worker_id: 'laptop', lease_seconds: SHORTEST_LEASE_SECONDS });
  await until(async () => (await api.readAgent(lost.id)).status === 'offline', {
    message: 'the agent is offline',
    timeoutMs: OFFLINE_TIMEOUT_MS,
    pollMs: 200,
  });
}

async function createKey(api: Api): Promise<NewApiKey> {
  return api.accounts.createKey({ name: 'Continuous integration', role: 'operator' });
}

/** The skill that has everything where there is one, else any. */
async function findSkill(api: Api): Promise<Skill> {
  const find = async (query: string) => (await api.get(`/api/skills?q=${query}&limit=1`)).json as Skill[];
  const skills = await until(async () => [...(await find(SKILL.name)), ...(await find(''))], {
    message: 'there are skills',
    holds: ({ length }) => length > 0,
  });
  return skills[0] as Skill;
}

/** The address of the page of a task. */
export function taskPage(task: Pick<Task, 'agent_id' | 'id'>): string {
  return `/console${pathOf(task)}`;
}
