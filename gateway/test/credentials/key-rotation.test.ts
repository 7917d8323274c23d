import { createPublicKey } from 'node:crypto';
import { ecKey, rsaKey, toPem, toPublicPem } from '@agent-fleet/access/testing/forge';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import jwt, { type JwtPayload } from 'jsonwebtoken';
import { getToken, SECRET, startGateway, type TestGateway } from '../support/gateway.ts';
import { EMAIL } from '../support/identity.ts';
import { writeOwnFile } from '../support/own-file.ts';

/** Key files of an operator; the previous key only as its public half. */
function keyFiles(key = rsaKey()): { secret: string; shown: string } {
  return { secret: writeOwnFile('jwt.pem', toPem(key)), shown: writeOwnFile('jwt.pub.pem', toPublicPem(key)) };
}

async function start(env: Record<string, string>): Promise<TestGateway> {
  const gateway = await startGateway(env);
  await until(async () => (await statusOf(gateway, await getToken(gateway))) === 200);
  return gateway;
}

async function statusOf({ url }: TestGateway, token: string): Promise<number> {
  const response = await fetch(`${url}/protected`, { headers: { authorization: `Bearer ${token}` } });
  if (response.status === 200) expect(await response.json()).toEqual({ user: EMAIL });
  return response.status;
}

interface Jwk extends Record<string, string> {
  kid: string;
  alg: string;
}
async function readJwks({ url }: TestGateway): Promise<Jwk[]> {
  return ((await (await fetch(`${url}/.well-known/jwks.json`)).json()) as { keys: Jwk[] }).keys;
}

test('a key rotation accepts both keys for a while and loses no token', async () => {
  const [old, next] = [keyFiles(), keyFiles()];
  const first = await start({ JWT_PRIVATE_KEY_FILE: old.secret });
  // Replicas of one fleet, with the same users.
  const REDIS_PREFIX = first.prefix;
  const both = { JWT_PRIVATE_KEY_FILE: next.secret, JWT_VERIFICATION_KEY_FILE: old.shown };
  const between = await start({ REDIS_PREFIX, ...both });
  const last = await start({ REDIS_PREFIX, JWT_PRIVATE_KEY_FILE: next.secret });
  const [before, after] = [await getToken(first), await getToken(between)];

  expect([await statusOf(first, before), await statusOf(first, after)]).toEqual([200, 401]);
  expect([await statusOf(between, before), await statusOf(between, after)]).toEqual([200, 200]);
  expect([await statusOf(last, before), await statusOf(last, after)]).toEqual([401, 200]);

  const [shownFirst, shownBetween, shownLast] = [await readJwks(first), await readJwks(between), await readJwks(last)];
  expect(shownBetween).toEqual([...shownLast, ...shownFirst]);
});

test('the rotation from a secret to a key accepts tokens of the secret, and publishes nothing of it', async () => {
  const bySecret = await start({});
  // The secret is still set, because the launcher and Compose always create one.
  const env = { REDIS_PREFIX: bySecret.prefix, JWT_PRIVATE_KEY_FILE: keyFiles(ecKey()).secret };
  const byKey = await start(env);
  const both = await start({ ...env, JWT_VERIFICATION_SECRET: SECRET });
  const token = await getToken(bySecret);
  expect([await statusOf(byKey, token), await statusOf(both, token)]).toEqual([401, 200]);
  expect(await readJwks(bySecret)).toEqual([]);
  expect(await readJwks(both)).toEqual(await readJwks(byKey));
});

test.each([
  ['RS256', rsaKey()],
  ['ES256', ecKey()],
])('%s tokens can be verified by the published key with their kid', async (alg, key) => {
  const gateway = await start({ JWT_PRIVATE_KEY_FILE: keyFiles(key).secret });
  const token = await getToken(gateway);
  const { header } = jwt.decode(token, { complete: true }) ?? {};
  const [jwk] = (await readJwks(gateway)).filter(({ kid }) => kid === header?.kid);
  expect(jwk).toMatchObject({ use: 'sig', alg });
  const publicKey = createPublicKey({ key: jwk ?? {}, format: 'jwk' });
  const claims = jwt.verify(token, publicKey, { algorithms: [alg as 'RS256'] }) as JwtPayload;
  expect(claims.sub).toBe(EMAIL);
});

test('/.well-known/jwks.json is cacheable for five minutes and supports conditional requests', async () => {
  const url = `${(await startGateway()).url}/.well-known/jwks.json`;
  const response = await fetch(url);
  expect(response.headers.get('content-type')).toContain('application/json');
  expect(response.headers.get('cache-control')).toBe('public, max-age=300');
  const etag = response.headers.get('etag') as string;
  const again = await fetch(url, { headers: { 'if-none-match': etag } });
  expect([again.status, await again.text()]).toEqual([304, '']);
  expect(again.headers.get('cache-control')).toBe('public, max-age=300');
});
