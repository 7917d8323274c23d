import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { validate } from '@readme/openapi-parser';
import { allServices, nowhere, startGateway, startWithServices } from '../support/gateway.ts';
import { startRawUpstreamServer } from '../support/proxy.ts';
import { startService } from '../support/service.ts';

interface Operation {
  'x-required-scope'?: string | null;
  security: object[];
  responses: Record<string, { content?: Record<string, { examples?: object }> }>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { securitySchemes: object };
}

const fetchDocument = ({ url }: { url: string }) => fetch(`${url}/openapi.json`);
const read = async (gateway: { url: string }) => (await (await fetchDocument(gateway)).json()) as Document;

test('the combined document is valid OpenAPI 3.1 with every path once the gateway is ready', async () => {
  const document = await read(await startWithServices());
  expect(await validate(structuredClone(document) as never)).toMatchObject({ valid: true, warnings: [] });
  expect(document).toMatchObject({
    openapi: '3.1.0',
    info: { title: 'Agent Fleet API', version: '1.0.0' },
    servers: [{ url: '/' }],
  });
  expect(Object.keys(document.paths)).toEqual([
    ...['/protected', '/.well-known/jwks.json'],
    ...['/token', '/session', '/users', '/users/me', '/password-resets/{code}'],
    ...['/agents', '/agents/{agent_id}', '/agents/{agent_id}/tasks', '/agents/{agent_id}/tasks/{task_id}'],
    ...['/agents/{agent_id}/leases', '/api/skills', '/registry.json'],
    ...['/health', '/ready', '/openapi.json', '/download/{file}', '/docs', '/redoc'],
  ]);
  expect(document.components.securitySchemes).toMatchObject({
    bearer: { type: 'oauth2', flows: { password: { tokenUrl: '/token' } } },
    apiKeyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
    sessionCookie: { type: 'apiKey', in: 'cookie', name: 'fleet' },
  });
});

test('the combined document has the responses of the gateway on paths of the services', async () => {
  const { paths } = await read(await startWithServices());
  const { security, responses } = (paths['/agents/{agent_id}'] as Record<string, Operation>).get as Operation;
  expect(security).toEqual([{ bearer: ['agents:read'] }, { apiKeyHeader: [] }, { sessionCookie: [] }]);
  expect(paths['/agents/{agent_id}']?.put?.['x-required-scope']).toBe('agents:write');
  expect(paths['/users/me']?.get?.['x-required-scope']).toBeNull();
  expect(Object.keys(responses).join()).toBe('200,400,401,403,429,500,502,503,504');
  const { examples = {} } = responses[503]?.content?.['application/json'] ?? {};
  expect(Object.keys(examples)).toEqual(['overloaded']);
  expect(paths['/api/skills']?.get).not.toHaveProperty('x-required-scope');
  expect(paths['/api/skills']?.get?.security).toEqual([]);
  expect(paths['/api/skills']?.get?.responses).not.toHaveProperty('401');
  expect(paths['/protected']?.get?.security).toEqual([{ bearer: [] }]);
});

test.each(['is down', 'hangs'])(
  'the combined document is 503 while a service %s that was never read',
  async (state) => {
    const url = state === 'hangs' ? (await startRawUpstreamServer(() => {})).url : await nowhere();
    const services = allServices((await startService()).url);
    const refused = await fetchDocument(await startGateway({ ...services, AGENTS_URL: url }));
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
      503,
      '1',
      { error: 'unavailable', message: 'The agents service has not sent its OpenAPI document yet; try again' },
    ]);
  },
);

test('the combined document is there once each service was read, and stays when they stop', async () => {
  const [url, later] = [await nowhere(), await nowhere()];
  const gateway = await startGateway({ ...allServices(url), REGISTRY_URL: later });
  const agents = await startService(url);
  expect((await fetchDocument(gateway)).status).toBe(503);
  const registry = await startService(later);
  await until(async () => (await fetchDocument(gateway)).status === 200);
  agents.close();
  registry.close();
  expect((await read(gateway)).paths).toMatchObject({ '/agents': {}, '/api/skills': {} });
});
