import { connect } from 'node:net';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import type { Response } from 'supertest';
import { startService } from './support/start-service.ts';

test('reads a page of agents in one round trip', async () => {
  await using service = await startService({ ownRedis: true });
  for (let at = 0; at < 3; at++) await service.createAgent();
  await service.http.get('/agents').expect(200);
  const { hostname, port, password } = new URL(service.ownRedis?.url as string);
  // Not by ioredis, which fails when commands of other clients arrive together with the reply to MONITOR.
  const monitor = connect(Number(port), hostname);
  let log = '';
  monitor.on('data', (data) => {
    log += data;
  });
  monitor.write(`AUTH ${password}\r\nMONITOR\r\n`);
  await until(() => log.startsWith('+OK\r\n+OK'));
  await service.http.get('/agents?limit=2').expect(200);
  await service.redis.echo('end');
  await until(() => log.includes('"end"'));
  monitor.destroy();
  const commands = log.split('\n').filter((line) => line.includes(service.keys.agents()) && !line.includes(' lua] '));
  // Issued together, so sent as one pipeline.
  expect(commands.map((line) => /\] "(\w+)"/.exec(line)?.[1])).toEqual(['sort', 'zcard']);
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
