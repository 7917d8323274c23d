import { startTestCluster, startTestRedis, type TestRedis } from '@agent-fleet/scripts/local/test-redis';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type StartedService, startService } from './start-service.ts';

describe.each(['one Redis', 'a Redis Cluster'])('GET /agents on %s', (kind) => {
  let service: StartedService;
  let cluster: TestRedis | undefined;
  const ids: string[] = [];

  beforeAll(async () => {
    cluster = kind === 'a Redis Cluster' ? await startTestCluster() : undefined;
    service = await startService(cluster && { redisUrl: cluster.url });
    for (const [name, type] of [
      ['a', 'claude'],
      ['b', 'gpt'],
      ['c', 'claude'],
      ['d', 'gemini'],
      ['e', 'gpt'],
    ] as const) {
      ids.push((await service.http.post('/agents').send({ name, type }).expect(201)).body.id);
    }
  });
  afterAll(async () => {
    await service.close();
    await cluster?.close();
  });

  async function names(query: string): Promise<string> {
    const response = await service.http.get(`/agents${query}`).expect(200);
    return (response.body as { name: string }[]).map(({ name }) => name).join('');
  }

  test('is a bare array, oldest first, with its total', async () => {
    const response = await service.http.get('/agents').expect(200);
    expect((response.body as { id: string }[]).map(({ id }) => id)).toEqual(ids);
    expect(response.headers['x-total-count']).toBe('5');
    expect(response.headers.link).toBeUndefined();
  });

  test('skips, then limits, and links to the pages around', async () => {
    const response = await service.http.get('/agents?skip=1&limit=2&type=&other=1').expect(200);
    expect((response.body as { name: string }[]).map(({ name }) => name).join('')).toBe('bc');
    expect(response.headers.link).toBe(
      '</agents?skip=3&limit=2&type=&other=1>; rel="next", </agents?skip=0&limit=2&type=&other=1>; rel="prev"',
    );
    expect(await names('?skip=5')).toBe('');
    expect(await names('?skip=9007199254740991&limit=1000')).toBe('');
  });

  test('filters by status and type, alone and together', async () => {
    expect(await names('?status=idle')).toBe('abcde');
    expect(await names('?status=')).toBe('abcde');
    expect(await names('?status=active')).toBe('');
    expect(await names('?status=no%20such%20status')).toBe('');
    expect(await names('?type=gpt')).toBe('be');
    expect(await names('?type=unknown')).toBe('');
    expect(await names('?type=gpt&status=idle&skip=1')).toBe('e');
    expect(await names('?status=idle:type:gpt')).toBe('');
  });

  test.each([
    'skip=-1',
    'skip=',
    'skip=0x10',
    'skip=1.5',
    'skip=%205',
    'skip=1&skip=2',
    'limit=0',
    'limit=1001',
    'limit=',
    'limit=ten',
    'skip=99999999999999999999',
    'status=a&status=b',
  ])('refuses %s', async (query) => {
    const response = await service.http.get(`/agents?${query}`).expect(400);
    expect(response.body.error).toBe('validation_error');
    expect(response.body.details.fields[0].path).toBe(query.split('=')[0]);
  });

  test('follows every change', async () => {
    const id = (await service.http.post('/agents').send({ name: 'f', type: 'claude' })).body.id;
    expect(await names('?type=claude')).toBe('acf');
    await service.http.put(`/agents/${id}`).send({ name: 'F', type: 'gpt' }).expect(200);
    expect(await names('?type=claude')).toBe('ac');
    expect(await names('?type=gpt&status=idle')).toBe('beF');
    await service.http.delete(`/agents/${id}`).expect(204);
    expect(await names('')).toBe('abcde');
    expect((await service.http.get('/agents?type=gpt')).headers['x-total-count']).toBe('2');
  });
});

test('a page costs one round trip', async () => {
  // Of its own: ioredis takes what others do for an answer to MONITOR when it comes in one piece with it.
  const redis = await startTestRedis();
  const service = await startService({ redisUrl: redis.url });
  try {
    for (let at = 0; at < 3; at++) await service.http.post('/agents').send({ name: 'x', type: 'claude' }).expect(201);
    await service.http.get('/agents').expect(200);
    const seen: string[] = [];
    const monitor = await (service.redis as import('ioredis').Redis).monitor();
    monitor.on('monitor', (_time: string, args: string[], source: string) => {
      if (source !== 'lua' && args.some((arg) => arg.includes(`${service.prefix}:{fleet}:agents`)))
        seen.push(args[0] as string);
    });
    await service.http.get('/agents?limit=2').expect(200);
    await service.redis.ping();
    monitor.disconnect();
    // Issued together, so sent as one pipeline.
    expect(seen).toEqual(['sort', 'zcard']);
  } finally {
    await service.close();
    await redis.close();
  }
});
