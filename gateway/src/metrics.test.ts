import { createHttpApp, finishApp } from '@agent-fleet/shared/http-app';
import { createLogger } from '@agent-fleet/shared/logger';
import { expect, test } from '@jest/globals';
import supertest from 'supertest';
import { createMetrics } from './metrics.ts';
import { observeRequests } from './observe-requests.ts';

test('counts requests by method, route and status, unknown paths under one name', async () => {
  const logger = createLogger('test', 'silent');
  const metrics = createMetrics(logger);
  const app = createHttpApp();
  const observation = observeRequests(metrics.observe);
  app.use(observation.handler);
  app.get('/agents/:id', (_req, res) => {
    res.locals.route = { template: '/agents/{agent_id}', access: 'credentials' };
    res.status(204).end();
  });
  finishApp(app, logger);

  const front = supertest(app);
  for (const path of ['/agents/a', '/agents/b', '/one', '/two']) await front.get(path);
  observation.close();

  const { text, headers } = await supertest(metrics.app).get('/metrics').expect(200);
  expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
  const count = (labels: string) =>
    text.split('\n').find((line) => line.startsWith(`http_request_duration_seconds_count{${labels}}`));
  expect(count('method="GET",route="/agents/{agent_id}",status="204"')).toMatch(/ 2$/);
  expect(count('method="GET",route="unknown",status="404"')).toMatch(/ 2$/);
  expect(text).toContain('process_resident_memory_bytes');
});
