import type { RequestListener } from 'node:http';
import { expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { createHttpApp } from '../http/app.ts';
import { createLogger } from '../logger.ts';
import { Collector } from '../testing/collector.ts';
import { listen } from '../testing/listen.ts';
import { createServiceTracing } from './trace-service.ts';

test('a span has the id of its request, also when the response does not come from Express', async () => {
  const collector = await new Collector().listen();
  const config = { url: collector.url, headers: {}, resource: {}, sampleRatio: 1, timeoutMs: 60_000 };
  const tracing = createServiceTracing(config, 'test', new Registry(), createLogger('test', 'silent'));
  const app = createHttpApp();
  app.get('/x', (_req, res) => void res.end());
  const listener: RequestListener = (req, res) => {
    if (req.url === '/cached') res.writeHead(200, ['x-request-id', 'cached']).end();
    else app(req, res);
  };
  const { request, response } = app;
  const server = await listen(tracing.trace(Object.assign(listener, { request, response })));
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  for (const path of ['x', 'cached']) {
    await fetch(`http://127.0.0.1:${server.port}/${path}`, { headers: { traceparent, 'x-request-id': path } });
  }
  await server.close();
  await tracing.close();
  collector.close();
  expect(collector.spans.map(({ attributes }) => attributes['fleet.request_id'])).toEqual(['x', 'cached']);
});
