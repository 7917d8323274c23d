import { expect, test } from '@jest/globals';
import { checkDatabase } from '../database/check-database.ts';
import { startService } from '../support/start-service.ts';

const DAY_MS = 86_400_000;
const QUARTER_MS = 900_000;
const NUMBER_OF_NAMES = 98;

const service = await startService();
const today = Math.floor(Date.now() / DAY_MS);

const read = async (query: string) => (await service.http.get(`/stats/spend?${query}`).expect(200)).body;

interface Group {
  key: string | null;
  attempts: number;
  cost: { amount: number };
}
interface Step {
  at: string;
  groups: Group[];
}

/** Counts one attempt of a model that cost so much, as the script does. */
async function write(agent: string, ms: number, model: string, micros: number): Promise<void> {
  const quarter = Math.floor(ms / QUARTER_MS);
  const day = Math.floor(quarter / 96);
  const packed = Buffer.from(new Float64Array([1, 0, 0, 0, 0, micros, 0]).buffer);
  const { redis, keys } = service;
  await redis.hset(keys.spendBy('quarters', day, { agent }), `${quarter % 96} model ${model}`, packed);
  await redis.hset(keys.spendBy('days', Math.floor(day / 32), { agent }), `${day} model ${model}`, packed);
}

const shown = ({ steps }: { steps: Step[] }) =>
  steps.filter(({ groups }) => groups.length > 0).map(({ at, groups }) => [at.slice(0, 16), groups[0]?.key]);

test('counts further names of a day as other ones, and each attempt of random tasks once', async () => {
  const agent = await service.createAgent();
  let micros = 0;
  const tags = ['x', 'y', 'other'];
  for (let at = 0; at < NUMBER_OF_NAMES + 5; at++) {
    await service.createTask(agent, { tags: tags.slice(0, at % 4) });
    const [lease] = (await service.lease(agent)).body.leases;
    const cost = { amount: (at + 1) / 1e6, currency: 'USD' };
    micros += at + 1;
    await service.report(lease, { status: 'completed', cost, model: `model ${at}` }).expect(200);
  }
  const total = { attempts: NUMBER_OF_NAMES + 5, cost: { amount: micros / 1e6 } };
  for (const by of ['agent', 'type', 'model', 'user', 'key', 'tag', 'version']) {
    expect((await read(`agent_id=${agent}&group_by=${by}`)).total).toMatchObject(total);
  }
  const { steps } = await read(`agent_id=${agent}&group_by=model`);
  expect(steps.flatMap(({ groups }: Step) => groups).map(({ key }: Group) => key)).toContain('other');
  expect(await service.redis.ttl(service.keys.spendBy('quarters', today, { agent }))).toBeGreaterThan(91 * 86_400);
  expect(await checkDatabase(service.redis, service.keys)).toEqual([]);
  await service.http.delete(`/agents/${agent}`).expect(204);
  expect(await service.redis.keys(`${service.prefix}*spend-by*${agent}*`)).toEqual([]);
  expect((await read('group_by=agent')).total.cost.amount).toBeCloseTo(micros / 1e6, 9);
});

test('counts in the hours and days of a time zone, and older than 90 days in those of UTC', async () => {
  const at = (day: number, hours: number) => day * DAY_MS + hours * 3_600_000;
  const dateOf = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);
  await write('a', at(today - 2, 20.25), 'late', 1);
  await write('a', at(today - 120, 20.25), 'old', 1);
  const [from, to] = [dateOf(today - 3), dateOf(today)].map((date) => `${date}T00:00:00Z`);
  const query = `agent_id=a&group_by=model&from=${from}&to=${to}`;
  expect(shown(await read(query))).toEqual([[`${dateOf(today - 2)}T00:00`, 'late']]);
  expect(shown(await read(`${query}&time_zone=Asia/Kolkata`))).toEqual([[`${dateOf(today - 2)}T18:30`, 'late']]);
  expect(shown(await read(`${query}&time_zone=Asia/Kolkata&step=hour`))).toEqual([
    [`${dateOf(today - 2)}T19:30`, 'late'],
  ]);
  const old = `agent_id=a&group_by=model&from=${dateOf(today - 130)}T00:00:00Z&to=${dateOf(today - 110)}T00:00:00Z`;
  // The day of its date, although it is the next one there.
  expect(shown(await read(`${old}&time_zone=Asia/Kolkata`))).toEqual([[`${dateOf(today - 121)}T18:30`, 'old']]);
  expect((await read('agent_id=a&group_by=model&step=month')).steps.flatMap(({ groups }: Step) => groups)).toHaveLength(
    2,
  );
});

test('has at most 100 groups in a step', async () => {
  for (let at = 0; at < 120; at++) await write('b', (today - 1) * DAY_MS + at * QUARTER_MS * 0.5, `m${at}`, at + 1);
  const { steps, total } = await read(`agent_id=b&group_by=model`);
  const groups = steps.find((step: Step) => step.groups.length > 0).groups as Group[];
  expect(groups).toHaveLength(100);
  expect(groups.find(({ key }) => key === 'other')).toMatchObject({ attempts: 21, cost: { amount: 0.000231 } });
  expect(total).toMatchObject({ attempts: 120, cost: { amount: 0.00726 } });
});
