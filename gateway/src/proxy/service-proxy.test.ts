import { createHttpApp, finishApp } from '@agent-fleet/shared/http/app';
import { type RunningServer, serve } from '@agent-fleet/shared/http/serve';
import { createLogger } from '@agent-fleet/shared/logger';
import { until } from '@agent-fleet/shared/testing/until';
import { afterEach, expect, test } from '@jest/globals';
import type { Response as ExpressResponse, RequestHandler } from 'express';
import { forwardRequests } from './service-proxy.ts';

let server: RunningServer;
afterEach(() => server.close());

test('refuses requests over the limit with 503 overloaded, and admits requests again when others have ended', async () => {
  const held: ExpressResponse[] = [];
  const handler: RequestHandler = (_req, res) => void held.push(res);
  const upstreams = { agents: { handler }, identity: { handler }, registry: { handler } };
  const app = createHttpApp((_req, res, next) => {
    res.locals.route = { template: '/agents*', access: 'public', upstream: 'agents' };
    next();
  });
  app.use(forwardRequests(upstreams, { maxInFlight: 2, maxBodyBytes: 1 }));
  finishApp(app, createLogger('test', 'silent'));
  server = await serve(app, { host: '127.0.0.1', port: 0, lifecycle: { stopping: false }, drainSeconds: 0 });
  const url = `http://127.0.0.1:${server.port}`;

  const gone = new AbortController();
  const ended = fetch(url);
  const aborted = fetch(url, { signal: gone.signal }).catch(() => 'aborted');
  await until(() => held.length === 2);
  const refused = await fetch(url);
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(await refused.json()).toMatchObject({ error: 'overloaded' });

  held[0]?.end();
  gone.abort();
  expect([(await ended).status, await aborted]).toEqual([200, 'aborted']);
  await until(() => held.every(({ closed }) => closed));
  const more = [fetch(url), fetch(url)];
  await until(() => held.length === 4);
  for (const res of held.slice(2)) res.end();
  expect((await Promise.all(more)).map(({ status }) => status)).toEqual([200, 200]);
});
