import { respondOk, startUpstream } from './proxy.ts';

const operation = { responses: { 200: { description: 'It is.' } } };
const withBody = { ...operation, requestBody: { content: { 'application/json': {} } } };
const parameters = [{ name: 'agent_id', in: 'path', required: true, schema: { type: 'string' } }];
const taskId = { name: 'task_id', in: 'path', required: true, schema: { type: 'string' } };
export const DOCUMENT = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'A service', version: '1' },
  paths: {
    '/agents': { get: operation, post: withBody },
    '/agents/{agent_id}': { parameters, get: operation, put: withBody, delete: operation },
    '/agents/{agent_id}/tasks': { parameters, get: operation, post: withBody },
    '/agents/{agent_id}/tasks/{task_id}': { parameters: [...parameters, taskId], get: operation },
    '/agents/{agent_id}/leases': { parameters, post: withBody },
    '/api/skills': { get: operation },
    '/registry.json': { get: operation },
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
