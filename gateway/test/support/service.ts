import { createDocument } from '@agent-fleet/shared/contract/openapi';
import { type Binding, bind, json, type Operation } from '@agent-fleet/shared/contract/operation';
import type { Scope } from '@agent-fleet/shared/contract/scopes';
import { createServiceRouter } from '@agent-fleet/shared/contract/service-router';
import { createHttpApp, finishApp } from '@agent-fleet/shared/http/app';
import { reportErrors } from '@agent-fleet/shared/http/internal-access';
import { createLogger } from '@agent-fleet/shared/logger';
import { z } from 'zod';
import { startUpstream } from './proxy.ts';

type Method = Operation['method'];

function operation(method: Method, path: string, access: Scope | 'signed-in' | 'public'): Binding {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
  const params = z.object(Object.fromEntries(names.map((name) => [name, z.string()])));
  const declared = {
    ...{ id: `${method} ${path}`, method, path, tag: 'Things', summary: 'Do it', needsStore: false },
    ...(access === 'public' ? { security: access } : { scope: access }),
    ...(names.length > 0 && { params }),
    responses: { 200: { description: 'Fine.' } },
  } as Operation;
  return bind(declared, () => json({ ok: true }));
}

const BINDINGS = [
  operation('post', '/token', 'public'),
  operation('get', '/session', 'signed-in'),
  operation('post', '/session', 'public'),
  operation('delete', '/session', 'signed-in'),
  operation('get', '/users', 'users:admin'),
  operation('get', '/users/me', 'signed-in'),
  operation('put', '/password-resets/{code}', 'public'),
  operation('get', '/agents', 'agents:read'),
  operation('post', '/agents', 'agents:write'),
  operation('get', '/agents/{agent_id}', 'agents:read'),
  operation('put', '/agents/{agent_id}', 'agents:write'),
  operation('delete', '/agents/{agent_id}', 'agents:write'),
  operation('get', '/agents/{agent_id}/tasks', 'tasks:read'),
  operation('post', '/agents/{agent_id}/tasks', 'tasks:write'),
  operation('get', '/agents/{agent_id}/tasks/{task_id}', 'tasks:read'),
  operation('post', '/agents/{agent_id}/leases', 'leases:write'),
  operation('get', '/api/skills', 'public'),
  operation('get', '/registry.json', 'public'),
];

const DOCUMENT = createDocument(
  'A service',
  [{ name: 'Things', description: 'Of a test.' }],
  BINDINGS.map(({ operation }) => operation),
);

/**
 * A ready service that replaces all services, on a free port or the one of `url`, and records each complete request. It
 * authorises as the services do, and trusts only requests that have a principal.
 */
export async function startService(url = 'http://127.0.0.1:0') {
  const app = createHttpApp();
  app.get('/openapi.json', (_req, res) => void res.json(DOCUMENT));
  app.get('/ready', (_req, res) => void res.json({ ok: true }));
  const isExempt = ({ id }: Operation) => id === 'get /session';
  app.use(createServiceRouter({ bindings: BINDINGS, acceptedTokens: ['any'], isExempt }), reportErrors);
  finishApp(app, createLogger('test', 'silent'));
  const { received, ...upstream } = await startUpstream(app, Number(new URL(url).port));
  return {
    ...upstream,
    received,
    /** The received requests, without those of the gateway itself. */
    reached: () => received.filter(({ url }) => url !== '/openapi.json' && url !== '/ready'),
  };
}
