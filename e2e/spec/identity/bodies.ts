import { beforeAll, expect, test } from '@jest/globals';
import type { ContractCase, World } from '../../contract/contract-case.ts';
import { successesOf } from '../../contract/contract-cases.ts';
import { JSON_TYPE, type OpenApiDocument, type Operation, operationsOf } from '../../contract/document.ts';
import { createWorld } from '../../contract/world.ts';
import type { Api } from '../../harness/api.ts';
import { expectInvalid } from '../expectations.ts';

/** What only the system may set, in one record or another. */
const FIELDS = {
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
  role: 'admin',
  roles: ['admin'],
  scopes: ['users:admin'],
  scope: 'users:admin',
  is_admin: true,
  admin: true,
  disabled: false,
  owner: 'admin@e2e.example',
  owner_id: '01890a5d-ac96-774b-bcce-b302099a8057',
  user_id: '01890a5d-ac96-774b-bcce-b302099a8057',
  email: 'admin@e2e.example',
  password: 'a pass phrase of the test',
  password_hash: '$argon2id$v=19$m=19456,t=2,p=1$AAAA$AAAA',
  created_at: '2020-01-01T00:00:00.000Z',
  tokens_valid_after: 0,
  source: 'environment',
  key: 'afk_x',
  hash: '0'.repeat(64),
  status: 'completed',
  constructor: {},
} as const;

/** The body of every operation as no object, and with every field that it does not have. */
export function specifyUnknownFields(api: Api): void {
  let operations: Operation[];
  let document: OpenApiDocument;
  let world: World;
  beforeAll(async () => {
    document = (await api.get('/openapi.json')).json as OpenApiDocument;
    operations = operationsOf(document).filter(({ doc }) => doc.requestBody?.content[JSON_TYPE]);
    world = await createWorld(api);
  });

  /** The fields of the body itself, without those of nested objects. */
  function ownFields({ doc }: Operation): Set<string> {
    const { $ref = '', properties = {} } = doc.requestBody?.content[JSON_TYPE]?.schema ?? {};
    const referenced = document.components.schemas[$ref.replace('#/components/schemas/', '')];
    return new Set(Object.keys(referenced?.properties ?? properties));
  }

  test('is 400 that names the field', async () => {
    expect(operations.length).toBeGreaterThan(15);
    for (const operation of operations) {
      const [good] = successesOf(operation.name) as [ContractCase];
      const { method, path, body, ...options } = await good.prepare(world);
      const own = ownFields(operation);
      expect(own.size).toBeGreaterThan(0);
      for (const other of ['[]', '"text"', '5']) {
        expectInvalid(await api.call(method, path, { ...options, body: other }), '');
      }
      for (const [field, value] of Object.entries(FIELDS)) {
        if (own.has(field)) continue;
        const response = await api.call(method, path, { ...options, body: { ...Object(body), [field]: value } });
        if (response.status !== 400)
          throw new Error(`${operation.name} with ${field}: ${response.status} ${response.text}`);
        expectInvalid(response, field);
      }
      const polluted = JSON.stringify(body ?? {}).replace('{', '{"__proto__":{"role":"admin"},');
      const response = await api.call(method, path, { ...options, body: polluted.replace(',}', '}') });
      expect([operation.name, response.status]).toEqual([operation.name, 400]);
    }
  }, 120_000);
}
