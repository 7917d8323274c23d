import { beforeEach, expect, test } from '@jest/globals';
import { checkDatabase } from '../database/check-database.ts';
import type { Lease } from '../support/client.ts';
import { type StartedService, startService } from '../support/start-service.ts';

const NOTHING = {
  attempts: 0,
  input_tokens: 0,
  cached_input_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  cost: { amount: 0, currency: 'USD', estimated: false },
};
/** Names of models that are counted apart. */
const MAX_MODELS = 98;

let service: StartedService;
beforeEach(async () => {
  service = await startService();
});

const readUsage = async () => (await service.http.get('/stats').expect(200)).body.usage;
const readAgent = async (agent: string) => (await service.http.get(`/agents/${agent}/usage`).expect(200)).body;

interface Used {
  input?: number;
  output?: number;
  amount?: number;
  estimated?: boolean;
  model?: string;
}

/** What a worker reports, in short. */
function toReport({ input, output = 0, amount, estimated = false, model }: Used) {
  return {
    ...(input !== undefined && { usage: { input_tokens: input, output_tokens: output } }),
    ...(amount !== undefined && { cost: { amount, currency: 'USD', estimated } }),
    ...(model !== undefined && { model }),
  };
}

async function leaseNew(agent: string): Promise<Lease> {
  await service.createTask(agent);
  return (await service.lease(agent)).body.leases[0];
}

async function complete(agent: string, used: Used): Promise<void> {
  await service.report(await leaseNew(agent), { status: 'completed', ...toReport(used) }).expect(200);
}

const spent = (attempts: number, input: number, output: number, amount: number, estimated = false) => ({
  ...NOTHING,
  attempts,
  input_tokens: input,
  output_tokens: output,
  cost: { amount, currency: 'USD', estimated },
});

test('sums by type, model and agent', async () => {
  const [one, other] = [await service.createAgent('claude'), await service.createAgent('gpt')];
  await complete(one, { input: 10, output: 1, amount: 0.1, model: 'a' });
  await complete(one, { input: 20, output: 2, amount: 0.2, estimated: true, model: 'b' });
  await complete(other, { input: 40, output: 4, amount: 1, model: 'a' });
  await complete(other, { input: 80 });
  // Without usage.
  await complete(other, { model: 'b' });
  const [ofOne, ofOther] = [spent(2, 30, 3, 0.3, true), spent(2, 120, 4, 1)];
  const [a, b, unknown] = [spent(2, 50, 5, 1.1), spent(1, 20, 2, 0.2, true), spent(1, 80, 0, 0)];
  expect(await readUsage()).toEqual({
    total: spent(4, 150, 7, 1.3, true),
    by_type: { claude: ofOne, gpt: ofOther, gemini: NOTHING },
    by_model: [
      { model: 'a', ...a },
      { model: 'b', ...b },
      { model: 'unknown', ...unknown },
    ],
    by_agent: [
      { agent_id: other, ...ofOther },
      { agent_id: one, ...ofOne },
    ],
  });
  expect(await readAgent(one)).toEqual({
    total: ofOne,
    by_model: [
      { model: 'b', ...spent(1, 20, 2, 0.2, true) },
      { model: 'a', ...spent(1, 10, 1, 0.1) },
    ],
  });
});

test('keeps names of models as they were reported', async () => {
  const agent = await service.createAgent();
  const names = ['a b:c', '%41', '__proto__', 'constructor', '😀', '\u0000', 'total'];
  for (const [at, model] of names.entries()) await complete(agent, { amount: 10 - at, model });
  for (const { by_model } of [await readUsage(), await readAgent(agent)]) {
    expect(by_model.map(({ model }: { model: string }) => model)).toEqual(names);
  }
});

test('counts further models as other ones', async () => {
  const agent = await service.createAgent();
  for (let at = 0; at < MAX_MODELS + 3; at++) await complete(agent, { input: 1, model: `model-${at}` });
  await complete(agent, { input: 1, model: 'model-0' });
  await complete(agent, { input: 1 });
  for (const { by_model, total } of [await readUsage(), await readAgent(agent)]) {
    expect(total.attempts).toBe(MAX_MODELS + 5);
    expect(by_model).toHaveLength(MAX_MODELS + 2);
    expect(by_model).toContainEqual({ model: 'other', ...spent(3, 3, 0, 0) });
    expect(by_model).toContainEqual({ model: 'model-0', ...spent(2, 2, 0, 0) });
    expect(by_model).toContainEqual({ model: 'unknown', ...spent(1, 1, 0, 0) });
  }
  expect(await checkDatabase(service.redis, service.keys)).toEqual([]);
});

test('names the 100 agents with the highest cost, then the most tokens', async () => {
  const agents: string[] = [];
  for (let at = 0; at < 103; at++) {
    agents.push(await service.createAgent());
    await complete(agents[at] as string, at < 50 ? { input: at } : { amount: at / 1_000, input: 1 });
  }
  const { by_agent } = await readUsage();
  expect(by_agent.map(({ agent_id }: { agent_id: string }) => agent_id)).toEqual([
    ...agents.slice(50).toReversed(),
    ...agents.slice(3, 50).toReversed(),
  ]);
});

test('counts each attempt once when its result is reported again and again, also at the same time', async () => {
  const agent = await service.createAgent();
  const leases: Lease[] = [];
  for (let at = 0; at < 10; at++) leases.push(await leaseNew(agent));
  const report = (lease: Lease) =>
    service.report(lease, { status: 'completed', ...toReport({ input: 1, amount: 0.1, model: 'a' }) });
  const replies = await Promise.all(leases.flatMap((lease) => [report(lease), report(lease), report(lease)]));
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  for (const lease of leases) await report(lease).expect(200);
  expect((await readUsage()).total).toEqual(spent(10, 10, 0, 1));
  expect(await checkDatabase(service.redis, service.keys)).toEqual([]);
});

test('keeps what a deleted agent has used in the totals only', async () => {
  const [kept, deleted] = [await service.createAgent(), await service.createAgent()];
  await complete(kept, { input: 1, amount: 1, model: 'a' });
  await complete(deleted, { input: 2, amount: 2, model: 'a' });
  await service.http.delete(`/agents/${deleted}`).expect(204);
  expect(await readUsage()).toMatchObject({
    total: spent(2, 3, 0, 3),
    by_type: { claude: spent(2, 3, 0, 3) },
    by_model: [{ model: 'a', ...spent(2, 3, 0, 3) }],
    by_agent: [{ agent_id: kept, ...spent(1, 1, 0, 1) }],
  });
  const { body } = await service.http.get(`/agents/${deleted}/usage`).expect(404);
  expect(body).toEqual({ detail: 'Agent not found' });
  expect(await service.redis.keys(`${service.keys.prefix}spend*${deleted}`)).toEqual([]);
  expect(await checkDatabase(service.redis, service.keys)).toEqual([]);
});

test('counts by the type that the agent has when an attempt ends', async () => {
  const agent = await service.createAgent('claude');
  await complete(agent, { input: 1 });
  const lease = await leaseNew(agent);
  await service.http.put(`/agents/${agent}`).send({ name: 'x', type: 'gpt' }).expect(200);
  await service.report(lease, { status: 'completed', ...toReport({ input: 2 }) }).expect(200);
  expect((await readUsage()).by_type).toMatchObject({ claude: spent(1, 1, 0, 0), gpt: spent(1, 2, 0, 0) });
});

test('ends a task whose counters have no more room, and serves exact numbers', async () => {
  const agent = await service.createAgent();
  await complete(agent, { input: 1 });
  const spend = service.keys.spend();
  await service.redis.hset(spend, 'input total', '9223372036854775807');
  await complete(agent, { input: 5 });
  expect((await readUsage()).total).toMatchObject({ attempts: 2, input_tokens: Number.MAX_SAFE_INTEGER });
});
