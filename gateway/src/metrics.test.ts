import { createHttpApp, finishApp } from '@agent-fleet/shared/http-app';
import { createLogger } from '@agent-fleet/shared/logger';
import { expect, test } from '@jest/globals';
import supertest from 'supertest';
import { createMetrics } from './metrics.ts';
import { observeRequests } from './observe-requests.ts';

test('counts requests by method, route and status, unknown paths under one name, event streams apart', async () => {
  const logger = createLogger('test', 'silent');
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
  observation.close();

  const { text, headers } = await supertest(metrics.app).get('/metrics').expect(200);
  expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
  const count = (labels: string) =>
    text.split('\n').find((line) => line.startsWith(`http_request_duration_seconds_count{${labels}}`));
  expect(count('method="GET",route="/agents/{agent_id}",status="204"')).toMatch(/ 2$/);
  expect(count('method="GET",route="unknown",status="404"')).toMatch(/ 2$/);
  expect(count('method="GET",route="/events",status="200"')).toBeUndefined();
  expect(text).toContain('http_event_streams_total{method="GET",route="/events",status="200"} 2\n');
  expect(text).toContain('process_resident_memory_bytes');
});
