import { answerDocument, createDocument } from '@agent-fleet/shared/contract/openapi';
import {
  type Binding,
  bind,
  defineOperation,
  json,
  type Operation,
  type Security,
} from '@agent-fleet/shared/contract/operation';
import { createRouter } from '@agent-fleet/shared/contract/router';
import { createHttpApp, finishApp } from '@agent-fleet/shared/http/app';
import { serve } from '@agent-fleet/shared/http/serve';
import { createLogger } from '@agent-fleet/shared/logger';
import { z } from 'zod';
import { own } from './owned.ts';

const TAGS = [{ name: 'Service', description: 'What the service has.' }];

/** A small service behind the gateway, on a free port or the one of a URL; it echoes what reached it. */
export async function startService(operations: readonly Operation[], url = 'http://127.0.0.1:0') {
  const app = createHttpApp();
  app.get('/ready', (_req, res) => {
    res.json({ status: 'ready' });
  });
  app.get('/openapi.json', answerDocument(createDocument('A service', TAGS, operations)));
  app.use(createRouter(operations.map(echo)));
  const options = { host: '127.0.0.1', lifecycle: { stopping: false }, drainSeconds: 0 };
  const port = Number(new URL(url).port);
  const server = await serve(finishApp(app, createLogger('service', 'silent')), { ...options, port });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= server.close();
    return closed;
  };
  own(close);
  return { url: `http://127.0.0.1:${server.port}`, close };
}

function echo(operation: Operation): Binding {
  return bind(operation, ({ req }) => json({ method: req.method, url: req.originalUrl, headers: req.headers }));
}

function operation(method: Operation['method'], path: string, security: Security): Operation {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, z.string()]);
  return defineOperation({
    id: `${method}${path.replaceAll(/\W+/g, '_')}`,
    method,
    path,
    tag: 'Service',
    summary: path,
    security,
    ...(names.length > 0 && { params: z.object(Object.fromEntries(names)) }),
    responses: { 200: { description: 'An echo.', schema: z.object({ method: z.string() }).meta({ id: 'Echo' }) } },
  });
}

export const AGENT_OPERATIONS = [
  operation('get', '/agents', 'credentials'),
  operation('post', '/agents', 'credentials'),
  operation('get', '/agents/{agent_id}', 'credentials'),
  operation('get', '/agents/{agent_id}/tasks/{task_id}', 'credentials'),
];
export const REGISTRY_OPERATIONS = [
  operation('get', '/api/skills', 'public'),
  operation('get', '/registry.json', 'public'),
];
