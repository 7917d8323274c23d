import { createPublicKey } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import jwt, { type JwtPayload } from 'jsonwebtoken';
import { ecKey, rsaKey, toPem } from '../support/forge.ts';
import { EMAIL, getToken, nowhere, SECRET, signIn, startGateway, type TestGateway } from '../support/gateway.ts';

let dir: string;
const open: TestGateway[] = [];
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'fleet-keys-'));
});
afterEach(async () => {
  for (const gateway of open.splice(0)) await gateway.close();
});
afterAll(() => rmSync(dir, { recursive: true }));

/** Written as an operator has them: the key before only as its public half. */
function keyFiles(name: string, key = rsaKey()): { secret: string; shown: string } {
  const [secret, shown] = [join(dir, `${name}.pem`), join(dir, `${name}.pub.pem`)];
  writeFileSync(secret, toPem(key));
  writeFileSync(shown, createPublicKey(key).export({ type: 'spki', format: 'pem' }));
  return { secret, shown };
}

/** One replica of a fleet with these keys; all of them have the same users. */
async function start(prefix: string, env: Record<string, string>): Promise<TestGateway> {
  const services = await nowhere();
  const gateway = await startGateway({ REDIS_PREFIX: prefix, AGENTS_URL: services, REGISTRY_URL: services, ...env });
  open.push(gateway);
  await until(async () => (await signIn(gateway.url)).status === 200);
  return gateway;
}

async function statusOf({ url }: TestGateway, token: string): Promise<number> {
  const answer = await fetch(`${url}/protected`, { headers: { authorization: `Bearer ${token}` } });
  if (answer.status === 200) expect(await answer.json()).toEqual({ user: EMAIL });
  return answer.status;
}

interface Jwk extends Record<string, string> {
  kid: string;
  alg: string;
}
async function readJwks({ url }: TestGateway): Promise<Jwk[]> {
  return ((await (await fetch(`${url}/.well-known/jwks.json`)).json()) as { keys: Jwk[] }).keys;
}

test('a key rotation accepts both keys for a while and loses no token', async () => {
  const prefix = `rotation-${crypto.randomUUID().slice(0, 12)}`;
  const [old, next] = [keyFiles('old'), keyFiles('next')];
  const first = await start(prefix, { JWT_PRIVATE_KEY_FILE: old.secret });
  const between = await start(prefix, { JWT_PRIVATE_KEY_FILE: next.secret, JWT_VERIFICATION_KEY_FILE: old.shown });
  const last = await start(prefix, { JWT_PRIVATE_KEY_FILE: next.secret });
  const [before, after] = [await getToken(first.url), await getToken(between.url)];

  expect([await statusOf(first, before), await statusOf(first, after)]).toEqual([200, 401]);
  expect([await statusOf(between, before), await statusOf(between, after)]).toEqual([200, 200]);
  expect([await statusOf(last, before), await statusOf(last, after)]).toEqual([401, 200]);

  const [shownFirst, shownBetween, shownLast] = [await readJwks(first), await readJwks(between), await readJwks(last)];
  expect(shownBetween).toEqual([...shownLast, ...shownFirst]);
});

test('the rotation from a secret to a key accepts tokens of the secret, and publishes nothing of it', async () => {
  const prefix = `rotation-${crypto.randomUUID().slice(0, 12)}`;
  const { secret } = keyFiles('ec', ecKey());
  const bySecret = await start(prefix, {});
  // The secret is still there, as the launcher and compose always make one.
  const byKey = await start(prefix, { JWT_PRIVATE_KEY_FILE: secret });
  const both = await start(prefix, { JWT_PRIVATE_KEY_FILE: secret, JWT_VERIFICATION_SECRET: SECRET });
  const token = await getToken(bySecret.url);
  expect([await statusOf(byKey, token), await statusOf(both, token)]).toEqual([401, 200]);
  expect(await readJwks(bySecret)).toEqual([]);
  expect(await readJwks(both)).toEqual(await readJwks(byKey));
});

test.each([
  ['RS256', rsaKey()],
  ['ES256', ecKey()],
])('%s tokens can be verified by the published key with their kid', async (alg, key) => {
  const gateway = await start(`jwks-${crypto.randomUUID().slice(0, 12)}`, {
    JWT_PRIVATE_KEY_FILE: keyFiles(alg, key).secret,
  });
  const token = await getToken(gateway.url);
  const { header } = jwt.decode(token, { complete: true }) ?? {};
  const [jwk] = (await readJwks(gateway)).filter(({ kid }) => kid === header?.kid);
  expect(jwk).toMatchObject({ use: 'sig', alg });
  const publicKey = createPublicKey({ key: jwk ?? {}, format: 'jwk' });
  const claims = jwt.verify(token, publicKey, { algorithms: [alg as 'RS256'] }) as JwtPayload;
  expect(claims.sub).toBe(EMAIL);
});

test('/.well-known/jwks.json is cacheable for five minutes and supports conditional requests', async () => {
  const gateway = await start(`jwks-${crypto.randomUUID().slice(0, 12)}`, {});
  const url = `${gateway.url}/.well-known/jwks.json`;
  const answer = await fetch(url);
  expect(answer.headers.get('content-type')).toContain('application/json');
  expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
  const etag = answer.headers.get('etag') as string;
  const again = await fetch(url, { headers: { 'if-none-match': etag } });
  expect([again.status, await again.text()]).toEqual([304, '']);
  expect(again.headers.get('cache-control')).toBe('public, max-age=300');
});
