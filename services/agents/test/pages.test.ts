import { connect } from 'node:net';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { type StartedService, startService } from './support/start-service.ts';

/** Returns what MONITOR shows of the commands that `act` causes. */
async function monitor({ ownRedis, redis }: StartedService, act: () => Promise<unknown>): Promise<string[]> {
  const { hostname, port, password } = new URL(ownRedis?.url as string);
  // Not by ioredis, which fails when commands of other clients arrive together with the reply to MONITOR.
  const connection = connect(Number(port), hostname);
  let log = '';
  connection.on('data', (data) => {
    log += data;
  });
  connection.write(`AUTH ${password}\r\nMONITOR\r\n`);
  await until(() => log.startsWith('+OK\r\n+OK'));
  await act();
  await redis.echo('end');
  await until(() => log.includes('"end"'));
  connection.destroy();
  return log.split('\n');
}

const isOfScript = (line: string) => line.includes(' lua] ');

test('reads a page of agents in one round trip', async () => {
  const service = await startService({ ownRedis: true });
  for (let at = 0; at < 3; at++) await service.createAgent();
  await service.http.get('/agents').expect(200);
  const lines = await monitor(service, () => service.http.get('/agents?limit=2').expect(200));
  const commands = lines.filter((line) => line.includes(service.keys.agents()) && !isOfScript(line));
  // Issued together, so sent as one pipeline.
  expect(commands.map((line) => /\] "(\w+)"/.exec(line)?.[1])).toEqual(['sort_ro', 'zcard']);
});

test('reads no more ids of agents after another one than a page has, and one that shows whether more follow', async () => {
  const service = await startService({ ownRedis: true });
  const ids: string[] = [];
  for (let at = 0; at < 5; at++) ids.push(await service.createAgent());
  const path = `/agents?after=${ids[0]}&limit=2`;
  const lines = await monitor(service, async () => {
    const { body, headers } = await service.http.get(path).expect(200);
    expect(body.map(({ id }: { id: string }) => id)).toEqual(ids.slice(1, 3));
    expect(headers.link).toContain(`after=${ids[2]}`);
  });
  const read = lines.filter((line) => line.includes('"zrange"') && line.includes(service.keys.agents()));
  expect(read.map((line) => /"(\d+)"\r?$/.exec(line)?.[1])).toEqual(['3']);
});

test('everything can be read while Redis refuses writes', async () => {
  const service = await startService({ ownRedis: true });
  const agent = await service.createAgent();
  const { id } = await service.createTask(agent);
  await service.redis.call('CONFIG', 'SET', 'maxmemory', '1mb');
  await service.http.post('/agents').send({ name: 'x', type: 'gpt' }).expect(503);
  const ofTask = ['', '/events', '/attempts', '/log-entries', '/waiting'].map((rest) => `/tasks/${id}${rest}`);
  const ofAgent = ['', '/tasks', '/events', '/usage', ...ofTask].map((rest) => `/agents/${agent}${rest}`);
  const lists = ['/agents', '/agents?paused=false', '/tasks', '/tasks?tag=a&status=pending', '/events', '/leases'];
  for (const path of [...lists, '/workers', '/stats', '/stats/series', ...ofAgent]) {
    const { status } = await service.http.get(path);
    expect([path, status]).toEqual([path, 200]);
  }
});

test.each([
  { size: 1, count: 100 },
  { size: 250 * 1024, count: 33 },
])('reads no other records than those of a page: $count of $size bytes', async ({ size, count }) => {
  const service = await startService({ ownRedis: true });
  const agentId = await service.createAgent();
  const input = 'x'.repeat(size);
  for (let at = 0; at < count + 10; at++) await service.createTask(agentId, { input });
  for (const path of [`/agents/${agentId}/tasks`, '/tasks', '/tasks?order=desc', '/tasks?status=pending,running']) {
    const lines = await monitor(service, async () => {
      expect((await service.http.get(path).expect(200)).body).toHaveLength(count);
    });
    expect(lines.filter((line) => isOfScript(line) && line.includes(service.keys.task('')))).toHaveLength(count);
  }
});

test('refuses to compare more than 20,000 tasks of a worker with others, and takes a narrower search', async () => {
  const own = await startService();
  const [agent, other] = [await own.createAgent(), await own.createAgent()];
  const task = await own.createTask(agent);
  const places = [{ worker: 'w' }, { worker: 'w', status: 'failed' }, { agent, tag: 't' }, { tag: 't' }];
  const indexes = [...places, { tag: 't', status: 'failed' }].map(own.keys.tasks);
  // Older than the task, and without records.
  for (let at = 0; at < 20; at++) {
    const ids = Array.from(
      { length: 1_000 },
      (_, id) => `00000000-0000-7000-8000-${String(at * 1_000 + id).padStart(12, '0')}`,
    );
    for (const index of indexes) await own.redis.zadd(index, ...ids.flatMap((id) => [0, id]));
  }
  const total = (query: string) => own.total(`/tasks?worker_id=w&${query}`);
  expect(await total(`tag=t`)).toBe(20_000);
  for (const index of indexes) await own.redis.zadd(index, 0, task.id);
  const { body } = await own.http.get('/tasks?worker_id=w&tag=t').expect(400);
  expect(body.details.fields).toEqual([
    { path: 'worker_id', code: 'too_many_tasks', message: expect.stringContaining('created_after or created_before') },
  ]);
  const filter = { worker_id: 'w', tag: 't' };
  const refused = await own.http.post('/bulk-actions').send({ action: 'retry', filter, dry_run: true }).expect(400);
  expect(refused.body.details.fields).toMatchObject([{ path: 'filter.worker_id', code: 'too_many_tasks' }]);
  expect(await total('')).toBe(20_001);
  expect(await total(`tag=t&agent_id=${other}`)).toBe(0);
  expect(await total('tag=t&created_after=2000-01-01T00:00:00Z')).toBe(1);
  const found = await own.http.get('/tasks?worker_id=w&tag=t&created_after=2000-01-01T00:00:00Z').expect(200);
  expect(found.body).toEqual([task]);
});
