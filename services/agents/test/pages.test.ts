import { expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import type { Response } from 'supertest';
import { startService } from './support/start-service.ts';

test('reads a page of agents in one round trip', async () => {
  // A Redis of its own: ioredis parses commands of other clients as the reply to MONITOR when both arrive together.
  await using service = await startService({ ownRedis: true });
  for (let at = 0; at < 3; at++) await service.createAgent();
  await service.http.get('/agents').expect(200);
  const commands: string[] = [];
  const monitor = await (service.redis as Redis).monitor();
  monitor.on('monitor', (_time: string, args: string[], source: string) => {
    const isPage = args.some((arg) => arg.includes(`${service.prefix}:{fleet}:agents`));
    if (source !== 'lua' && isPage) commands.push(args[0] as string);
  });
  await service.http.get('/agents?limit=2').expect(200);
  await service.redis.ping();
  monitor.disconnect();
  // Issued together, so sent as one pipeline.
  expect(commands).toEqual(['sort', 'zcard']);
});

test('ends a page of large tasks early and links to the rest', async () => {
  await using service = await startService();
  const agentId = await service.createAgent();
  const input = 'x'.repeat(250 * 1024);
  for (let at = 0; at < 40; at++) await service.createTask(agentId, { message: `${at}`, input });
  for (const first of [`/agents/${agentId}/tasks?limit=1000`, '/tasks?limit=1000']) {
    const pages: string[][] = [];
    for (let path: string | undefined = first; path; ) {
      const { body, headers }: Response = await service.http.get(path).expect(200);
      pages.push(body.map(({ message }: { message: string }) => message));
      path = /<([^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1];
    }
    expect(pages).toHaveLength(2);
    expect(pages.flat()).toEqual(Array.from({ length: 40 }, (_, at) => `${at}`));
  }
});
