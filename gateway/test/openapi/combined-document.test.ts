import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { validate } from '@readme/openapi-parser';
import { nowhere, startGateway, startWithServices } from '../support/gateway.ts';
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

async function read({ url }: { url: string }): Promise<Document> {
  return (await (await fetch(`${url}/openapi.json`)).json()) as Document;
}

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
    ...['/health', '/ready', '/openapi.json', '/docs', '/redoc'],
  ]);
  expect(document.components.securitySchemes).toMatchObject({
    bearer: { type: 'oauth2', flows: { password: { tokenUrl: '/token' } } },
    apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
    session: { type: 'apiKey', in: 'cookie', name: 'fleet' },
  });
});

test('the combined document has the responses of the gateway on paths of the services', async () => {
  const { paths } = await read(await startWithServices());
  const { security, responses } = (paths['/agents/{agent_id}'] as Record<string, Operation>).get as Operation;
  expect(security).toEqual([{ bearer: ['agents:read'] }, { apiKey: [] }, { session: [] }]);
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

test('the combined document gains the paths of a service when it starts, and keeps them when it stops', async () => {
  const url = await nowhere();
  const gateway = await startGateway({ AGENTS_URL: url });
  expect((await read(gateway)).paths).not.toHaveProperty('/agents');
  const service = await startService(url);
  await until(async () => '/agents' in (await read(gateway)).paths);
  service.close();
  expect((await read(gateway)).paths).toHaveProperty('/agents');
});
