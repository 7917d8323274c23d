import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { checkDatabase } from './database/check-database.ts';
import { connectAs } from './support/callers.ts';
import { startService } from './support/start-service.ts';

const env = { AGENT_TYPES: 'claude,gpt,gemini,llama' };
const one = await startService({ env });
const other = await startService({ env, prefix: one.prefix });
const { redis, keys } = one;
let agentId: string;
afterAll(async () => {
  await one.close();
  await other.close();
});
beforeEach(async () => {
  agentId = await one.createAgent();
});

type Worker = Record<string, unknown>;

const readWorkers = async (): Promise<Worker[]> => (await other.http.get('/workers?limit=1000').expect(200)).body;
const findWorker = async (id: string) => (await readWorkers()).find(({ worker_id }) => worker_id === id);

async function untilSeen(id: string, fields: Worker = {}): Promise<Worker> {
  const found = await until(async () => {
    const worker = await findWorker(id);
    return worker && Object.entries(fields).every(([name, value]) => worker[name] === value) && worker;
  });
  return found as unknown as Worker;
}

describe('workers', () => {
  test('are listed with what they have requested and reported at any replica', async () => {
    await one.createTasks(agentId, 3);
    const http = connectAs(other.url, 'key:w').http.set('x-forwarded-for', '203.0.113.7');
    const body = { worker_id: 'busy', types: ['claude', 'gpt'], max_tasks: 3 };
    const { leases } = (await http.post('/leases').send(body).expect(201)).body;
    await one.report(leases[0], { status: 'completed' }).expect(200);
    await one.report(leases[0], { status: 'completed' }).expect(200);
    await one.report(leases[1], { status: 'failed' }).expect(200);
    await one.lease(agentId, { worker_id: 'busy' });
    const worker = await untilSeen('busy', { completed: 1, failed: 1 });
    expect(worker).toEqual({
      worker_id: 'busy',
      types: ['claude', 'gpt'],
      agent_ids: [agentId],
      first_seen_at: expect.any(String),
      last_seen_at: expect.any(String),
      polling: true,
      leases: 1,
      completed: 1,
      failed: 1,
      client: null,
    });
    expect(await checkDatabase(redis, keys)).toEqual([]);
  });

  test.each(['ä b:c/%41\u0000', '👩‍🚀'.repeat(20), `${'x'.repeat(99)}%`, '\ud800', "a!~*'()b", '__proto__'])(
    'may have any id: %j',
    async (id) => {
      await one.createTask(agentId);
      expect((await one.lease(agentId, { worker_id: id })).status).toBe(201);
      expect(await untilSeen(id.toWellFormed())).toMatchObject({ leases: 1, agent_ids: [agentId] });
      expect(await redis.exists(keys.worker(id))).toBe(1);
    },
  );
});
