/** Response bodies of the upstreams, on Node and on nginx. */
export const SMALL = toJson(127);
export const LARGE = toJson(100 * 1024);
/** Size of a streamed request or response body. */
export const BODY_BYTES = 1_000_000_000;

/** Returns JSON text of exactly `bytes` bytes. */
function toJson(bytes: number): Buffer {
  const empty = '{"id":"01a1fc8e-2110-7cb6-8733-f357ca781782","message":""}';
  return Buffer.from(empty.replace('""}', `"${'x'.repeat(bytes - empty.length)}"}`));
}

/** Returns the OpenAPI document from which the gateway reads the paths. */
export function document(): object {
  const paths = { '': 'get', '/tasks': 'get', '/events': 'get', '/download': 'get', '/upload': 'post' };
  return {
    openapi: '3.1.0',
    info: { title: 'Upstream', version: '1.0.0' },
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, method]) => [`/agents/{agent_id}${path}`, { [method]: describe(method) }]),
    ),
  };
}

function describe(method: string): object {
  const agentId = { name: 'agent_id', in: 'path', required: true, schema: { type: 'string' } };
  // Read by gateways of earlier commits, which would else forward no body.
  const requestBody = { content: { '*/*': {} } };
  return {
    'x-required-scope': 'agents:read',
    parameters: [agentId],
    ...(method === 'post' && { requestBody }),
    responses: { 200: { description: 'Success' } },
  };
}
