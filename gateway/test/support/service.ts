import type { Scope } from '@agent-fleet/shared/identity/scopes';
import { respondOk, startUpstream } from './proxy.ts';

const responses = { 200: { description: 'It is.' } };
const requestBody = { content: { 'application/json': {} } };
const needing = (scope: Scope | null) => ({ responses, 'x-required-scope': scope });
const withBody = (scope: Scope | null) => ({ ...needing(scope), requestBody });
const open = { responses };
const form = { responses, requestBody: { content: { 'application/x-www-form-urlencoded': {} } } };
const parameters = [{ name: 'agent_id', in: 'path', required: true, schema: { type: 'string' } }];
const code = { name: 'code', in: 'path', required: true, schema: { type: 'string' } };
const taskId = { name: 'task_id', in: 'path', required: true, schema: { type: 'string' } };
export const DOCUMENT = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'A service', version: '1' },
  paths: {
    '/token': { post: form },
    '/session': { get: needing(null), post: withBody(null), delete: needing(null) },
    '/users': { get: needing('users:admin') },
    '/users/me': { get: needing(null) },
    '/password-resets/{code}': { parameters: [code], put: withBody(null) },
    '/agents': { get: needing('agents:read'), post: withBody('agents:write') },
    '/agents/{agent_id}': {
      parameters,
      get: needing('agents:read'),
      put: withBody('agents:write'),
      delete: needing('agents:write'),
    },
    '/agents/{agent_id}/tasks': { parameters, get: needing('tasks:read'), post: withBody('tasks:write') },
    '/agents/{agent_id}/tasks/{task_id}': { parameters: [...parameters, taskId], get: needing('tasks:read') },
    '/agents/{agent_id}/leases': { parameters, post: withBody('leases:write') },
    '/api/skills': { get: open },
    '/registry.json': { get: open },
  },
});

/**
 * A ready service that replaces all services, on a free port or the one of `url`, and records each complete request.
 */
export async function startService(url = 'http://127.0.0.1:0') {
  const { received, ...upstream } = await startUpstream(
    (req, res) => {
      if (req.url === '/openapi.json') res.end(DOCUMENT);
      else respondOk(req, res);
    },
    Number(new URL(url).port),
  );
  return {
    ...upstream,
    received,
    /** The received requests, without those of the gateway itself. */
    reached: () => received.filter(({ url }) => url !== '/openapi.json' && url !== '/ready'),
  };
}
