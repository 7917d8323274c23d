import { connect } from 'node:net';
import { createHttpApp, finishApp } from '@agent-fleet/shared/http/app';
import { serve } from '@agent-fleet/shared/http/serve';
import { createLogger } from '@agent-fleet/shared/logger';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import supertest from 'supertest';
import { createMetrics, measureConnections, measureInFlight } from './metrics.ts';
import { observeRequests } from './observe-requests.ts';

const logger = createLogger('test', 'silent');

test('counts requests by method, route and status, and event streams separately', async () => {
  const metrics = createMetrics(logger);
  const app = createHttpApp();
  const observation = observeRequests(metrics.observe);
  app.use(observation.handler);
  app.get('/agents/:id', (_req, res) => {
    res.locals.route = { template: '/agents/{agent_id}', access: 'credentials' };
    res.status(204).end();
  });
  app.get('/events', (_req, res) => {
    res.locals.route = { template: '/events', access: 'credentials' };
    res.locals.isEventStream = true;
    res.end();
  });
  finishApp(app, logger);

  const front = supertest(app);
  for (const path of ['/agents/a', '/agents/b', '/one', '/two', '/events', '/events']) await front.get(path);
  await front.search('/one');
  await front.propfind('/two');
  observation.close();

  const { text, headers } = await supertest(metrics.app).get('/metrics').expect(200);
  expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
  const count = (labels: string) =>
    text.split('\n').find((line) => line.startsWith(`http_request_duration_seconds_count{${labels}}`));
  expect(count('method="GET",route="/agents/{agent_id}",status="204"')).toMatch(/ 2$/);
  expect(count('method="GET",route="unknown",status="404"')).toMatch(/ 2$/);
  expect(count('method="other",route="unknown",status="404"')).toMatch(/ 2$/);
  expect(text).not.toContain('PROPFIND');
  expect(count('method="GET",route="/events",status="200"')).toBeUndefined();
  expect(text).toContain('http_event_streams_total{method="GET",route="/events",status="200"} 2\n');
  expect(text).toContain('process_resident_memory_bytes');
});

test('measures open requests and connections, and counts aborted requests as 499', async () => {
  const metrics = createMetrics(logger);
  const app = createHttpApp();
  const observation = observeRequests(metrics.observe);
  measureInFlight(metrics.registry, observation.inFlight);
  app.use(observation.handler);
  const { port, server, close } = await serve(app, {
    host: '127.0.0.1',
    port: 0,
    lifecycle: { stopping: false },
    drainSeconds: 0,
  });
  measureConnections(metrics.registry, server);
  const becomes = async (...lines: string[]) => {
    await until(async () => {
      const { text } = await supertest(metrics.app).get('/metrics');
      return lines.every((line) => text.includes(`\n${line}\n`));
    });
  };

  app.use(() => {});
  const clients = [1, 2].map(() => connect(port, '127.0.0.1'));
  for (const client of clients) client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await becomes('http_requests_in_flight 2', 'http_connections 2');
  for (const client of clients) client.destroy();
  await becomes('http_requests_in_flight 0', 'http_connections 0');
  observation.close();
  await becomes('http_request_duration_seconds_count{method="GET",route="unknown",status="499"} 2');
  await close();
});
