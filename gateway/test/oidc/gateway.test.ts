import { until } from '@agent-fleet/shared/testing/until';
import { beforeAll, expect, test } from '@jest/globals';
import { type GatewayWithServices, startWithServices } from '../support/gateway.ts';
import { AUDIENCE, CLIENT_ID, type RunningIssuer, startOidcIssuer } from '../support/oidc-issuer.ts';
import { writeOwnFile } from '../support/own-file.ts';
import { send, withToken } from '../support/requests.ts';

let issuer: RunningIssuer;
let gateway: GatewayWithServices;

beforeAll(async () => {
  issuer = await startOidcIssuer();
  const issuers = [
    {
      name: 'corp',
      issuer: issuer.url,
      audience: AUDIENCE,
      algorithms: ['RS256'],
      role_claim: 'realm_access.roles',
      roles: { staff: 'viewer', builders: 'operator' },
    },
  ];
  gateway = await startWithServices({
    OIDC_ISSUERS_FILE: writeOwnFile('issuers.json', JSON.stringify(issuers)),
    OIDC_ALLOW_INSECURE: 'true',
  });
});

const issue = (...roles: string[]) => issuer.issue({ realm_access: { roles } });
const get = (path: string, token: string) => send(gateway, path, { headers: withToken(token) });
const auditOf = async (action: string) => (await gateway.identity.audit()).filter((entry) => entry.action === action);

test('a token of an external issuer is good, with the highest role that is mapped', async () => {
  const token = await issue('staff', 'builders', 'elsewhere');
  expect(await get('/protected', token)).toMatchObject({ status: 200, body: { user: CLIENT_ID } });
  expect((await get('/agents', token)).status).toBe(200);
  const { headers = {} } = gateway.reached().at(-1) ?? {};
  expect(headers).toMatchObject({
    'x-fleet-principal': `oidc:corp:${CLIENT_ID}`,
    'x-fleet-scopes': 'agents:read tasks:read events:read agents:write tasks:write tasks:answer',
  });
  expect(headers).not.toHaveProperty('authorization');
});

test('a role that is mapped limits the scopes', async () => {
  const response = await send(gateway, '/agents', {
    method: 'POST',
    headers: withToken(await issue('staff')),
    body: '',
  });
  expect(response).toMatchObject({ status: 403, body: { error: 'forbidden', details: { required: 'agents:write' } } });
});

test('a user without a role that is mapped gets 403 forbidden, which is in the audit trail', async () => {
  expect(await get('/protected', await issue('elsewhere'))).toMatchObject({
    status: 403,
    body: { error: 'forbidden' },
  });
  const [entry] = await until(() => auditOf('token.refused'), { holds: ({ length }) => length > 0 });
  expect(entry).toMatchObject({ actor: { type: 'oidc', id: `corp:${CLIENT_ID}` }, outcome: 'failure' });
});

test('the first use of a token is in the audit trail, and no other', async () => {
  const before = (await auditOf('token.accepted')).length;
  const token = await issue('staff');
  for (let times = 0; times < 3; times++) expect((await get('/protected', token)).status).toBe(200);
  await until(async () => (await auditOf('token.accepted')).length > before);
  expect(await auditOf('token.accepted')).toHaveLength(before + 1);
});
