import { until } from '@agent-fleet/shared/testing/until';
import { afterEach, describe, expect, test } from '@jest/globals';
import { validate } from '@readme/openapi-parser';
import { closeAll, keep } from '../proxy/proxy-fixture.ts';
import { nowhere, startFleet, startGateway } from '../support/gateway.ts';
import { AGENT_OPERATIONS, REGISTRY_OPERATIONS, startService } from '../support/service.ts';

afterEach(closeAll);

interface Operation {
  operationId: string;
  security: object[];
  responses: Record<string, { content?: Record<string, { examples?: object }> }>;
}
interface Document {
  openapi: string;
  info: { title: string; version: string };
  servers: object[];
  paths: Record<string, Record<string, Operation>>;
  components: { securitySchemes: object };
}

async function read(url: string): Promise<Document> {
  return (await (await fetch(`${url}/openapi.json`)).json()) as Document;
}

describe('the combined document', () => {
  test('is valid OpenAPI 3.1 with every path', async () => {
    const { url } = keep(await startFleet());
    const document = await read(url);
    expect(await validate(structuredClone(document) as never)).toMatchObject({ valid: true, warnings: [] });
    expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Agent Fleet API', version: '1.0.0' } });
    expect(document.servers).toEqual([{ url: '/' }]);
    expect(Object.keys(document.paths)).toEqual([
      ...['/token', '/protected', '/.well-known/jwks.json'],
      ...['/agents', '/agents/{agent_id}', '/agents/{agent_id}/tasks/{task_id}', '/api/skills', '/registry.json'],
      ...['/health', '/ready', '/openapi.json', '/docs', '/redoc'],
    ]);
    expect(document.components.securitySchemes).toMatchObject({
      bearer: { type: 'oauth2', flows: { password: { tokenUrl: '/token' } } },
      apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
    });
  });

  test('has the responses of the gateway on paths of the services', async () => {
    const { url } = keep(await startFleet());
    const { paths } = await read(url);
    const agent = paths['/agents/{agent_id}']?.get;
    expect(agent?.security).toEqual([{ bearer: [] }, { apiKey: [] }]);
    expect(Object.keys(agent?.responses ?? {})).toEqual([
      '200',
      '400',
      '401',
      '403',
      '429',
      '500',
      '502',
      '503',
      '504',
    ]);
    expect(Object.keys(agent?.responses[503]?.content?.['application/json']?.examples ?? {})).toEqual([
      'unavailable',
      'overloaded',
    ]);
    expect(paths['/api/skills']?.get?.security).toEqual([]);
    expect(Object.keys(paths['/api/skills']?.get?.responses ?? {})).not.toContain('401');
    expect(paths['/protected']?.get?.security).toEqual([{ bearer: [] }]);
  });

  test('supports conditional requests by its ETag', async () => {
    const { url } = keep(await startFleet());
    const answer = await fetch(`${url}/openapi.json`);
    const etag = answer.headers.get('etag') as string;
    expect(etag).toMatch(/^"[0-9a-f]+"$/);
    const again = await fetch(`${url}/openapi.json`, { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  test('gains the paths of a service when it starts, and keeps them when it stops', async () => {
    const [agents, registry] = [await nowhere(), await nowhere()];
    const gateway = keep(await startGateway({ AGENTS_URL: agents, REGISTRY_URL: registry }));
    expect(Object.keys((await read(gateway.url)).paths)).not.toContain('/agents');
    const service = await startService(AGENT_OPERATIONS, Number(new URL(agents).port));
    await until(async () => '/agents' in (await read(gateway.url)).paths);
    expect((await read(gateway.url)).paths).not.toHaveProperty('/api/skills');
    await service.close();
    expect((await fetch(`${gateway.url}/agents/7/unknown`)).status).toBe(404);
    expect((await read(gateway.url)).paths).toHaveProperty('/agents');
  });

  test('has the paths of every service once the gateway is ready', async () => {
    const [agents, registry] = [await nowhere(), await nowhere()];
    const gateway = keep(await startGateway({ AGENTS_URL: agents, REGISTRY_URL: registry }));
    keep(await startService(AGENT_OPERATIONS, Number(new URL(agents).port)));
    keep(await startService(REGISTRY_OPERATIONS, Number(new URL(registry).port)));
    await until(async () => (await fetch(`${gateway.url}/ready`)).status === 200);
    expect((await read(gateway.url)).paths).toMatchObject({ '/agents': {}, '/api/skills': {} });
  });
});
