import { own } from '@agent-fleet/scripts/testing/own';
import { createLogger } from '@agent-fleet/shared/logger';
import { until } from '@agent-fleet/shared/testing/until';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { OidcIssuer } from '../../src/auth/oidc/issuers-file.ts';
import { createOidcTokens } from '../../src/auth/oidc/oidc-tokens.ts';
import {
  AUDIENCE,
  CLIENT_ID,
  createSigningJwk,
  forgeToken,
  type RunningIssuer,
  serveOnLoopback,
  startOidcIssuer,
} from '../support/oidc-issuer.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const UNAVAILABLE = expect.objectContaining({ status: 503, body: expect.objectContaining({ error: 'unavailable' }) });
const VALID = expect.objectContaining({ sub: CLIENT_ID });

beforeEach(() => {
  // Both clocks stand still; timers and the network are real.
  jest.useFakeTimers({
    doNotFake: [
      ...(['hrtime', 'nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
      ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
    ],
  });
});
afterEach(() => {
  jest.useRealTimers();
});

const passTime = (ms: number) => jest.advanceTimersByTime(ms);

/** Verifies tokens of the issuers at these URLs. */
function createVerifier(...urls: string[]) {
  const issuers = urls.map((issuer, at): OidcIssuer => {
    const algorithms = ['RS256', 'ES256'];
    return { name: `n${at}`, issuer, audience: AUDIENCE, algorithms, role_claim: 'roles', roles: { a: 'admin' } };
  });
  const oidc = createOidcTokens(issuers, { allowInsecure: true, logger: createLogger('test', 'silent') });
  own(oidc.close);
  return (token: string, at = 0) => oidc.verify(token, issuers[at] as OidcIssuer);
}

/** Valid for two days. */
function issueLong({ forge }: RunningIssuer, header = {}): Promise<string> {
  return forge({ exp: (Date.now() + 48 * HOUR_MS) / SECOND_MS }, header);
}

const fetchesOf = ({ paths }: { paths: string[] }) => paths.filter((path) => path === '/jwks').length;

test('fetches keys once for tokens that arrive together, and keeps them', async () => {
  const issuer = await startOidcIssuer();
  const verify = createVerifier(issuer.url);
  const token = await issuer.issue();
  expect(await Promise.all(Array.from({ length: 10 }, () => verify(token)))).toEqual(Array(10).fill(VALID));
  expect(await verify(token)).toEqual(VALID);
  expect(fetchesOf(issuer)).toBe(1);
});

test('accepts a new key and refuses the old one after the issuer restarted with other keys', async () => {
  const before = await startOidcIssuer();
  const verify = createVerifier(before.url);
  const old = await before.issue();
  expect(await verify(old)).toEqual(VALID);
  await before.stop();
  const after = await startOidcIssuer({ port: before.port, keys: [await createSigningJwk('second')] });
  passTime(31 * SECOND_MS);
  expect(await verify(await after.issue())).toEqual(VALID);
  expect(await verify(old)).toBeUndefined();
});

test('asks at once for a key that the issuer has just made, and again for the next', async () => {
  let issuer = await startOidcIssuer();
  const verify = createVerifier(issuer.url);
  expect(await verify(await issuer.issue())).toEqual(VALID);
  for (const kid of ['rotated', 'rotated again']) {
    await issuer.stop();
    issuer = await startOidcIssuer({ port: issuer.port, keys: [await createSigningJwk(kid)] });
    passTime(SECOND_MS);
    expect(await verify(await issuer.issue())).toEqual(VALID);
  }
});

test('waits 30 s after a question that found nothing before it asks for a new key', async () => {
  const before = await startOidcIssuer();
  const verify = createVerifier(before.url);
  expect(await verify(await before.issue())).toEqual(VALID);
  expect(await verify(await before.forge({}, { kid: 'unknown' }))).toBeUndefined();
  expect(fetchesOf(before)).toBe(2);
  await before.stop();
  const after = await startOidcIssuer({ port: before.port, keys: [await createSigningJwk('rotated')] });
  passTime(29 * SECOND_MS);
  expect(await verify(await after.issue())).toBeUndefined();
  passTime(2 * SECOND_MS);
  expect(await verify(await after.issue())).toEqual(VALID);
});

test('asks for unknown keys at most once in 30 s', async () => {
  const issuer = await startOidcIssuer();
  const verify = createVerifier(issuer.url);
  const flood = async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, (_, at) => issuer.forge({}, { kid: `unknown-${at}` })));
    expect(await Promise.all(tokens.map((token) => verify(token)))).toEqual(Array(20).fill(undefined));
    for (const token of tokens) expect(await verify(token)).toBeUndefined();
  };
  for (const fetches of [1, 2, 3]) {
    await flood();
    passTime(29 * SECOND_MS);
    await flood();
    expect(fetchesOf(issuer)).toBe(fetches);
    passTime(2 * SECOND_MS);
  }
});

test('asks for unknown keys at most once in 30 s while the issuer fails', async () => {
  const issuer = await startOidcIssuer();
  const verify = createVerifier(issuer.url);
  expect(await verify(await issuer.issue())).toEqual(VALID);
  await issuer.stop();
  const failing = await serveOnLoopback((_req, res) => res.writeHead(500).end(), issuer.port);
  passTime(31 * SECOND_MS);
  const unknown = await issueLong(issuer, { kid: 'unknown' });
  for (const requests of [1, 2]) {
    for (let times = 0; times < 5; times++) expect(await verify(unknown)).toBeUndefined();
    expect(failing.paths).toHaveLength(requests);
    passTime(31 * SECOND_MS);
  }
});

test('no longer accepts a withdrawn key after ten minutes', async () => {
  const [first, second] = [await createSigningJwk('first'), await createSigningJwk('second')];
  const before = await startOidcIssuer({ keys: [first, second] });
  const verify = createVerifier(before.url);
  const token = await issueLong(before);
  expect(await verify(token)).toEqual(VALID);
  await before.stop();
  await startOidcIssuer({ port: before.port, keys: [second] });
  passTime(9 * MINUTE_MS);
  expect(await verify(token)).toEqual(VALID);
  passTime(2 * MINUTE_MS);
  expect(await verify(token)).toBeUndefined();
});

test('uses keys for 24 h after the issuer went away, and fetches them again when it is back', async () => {
  const issuer = await startOidcIssuer();
  const verify = createVerifier(issuer.url);
  const token = await issueLong(issuer);
  expect(await verify(token)).toEqual(VALID);
  await issuer.stop();
  for (let hours = 1; hours < 24; hours++) {
    passTime(HOUR_MS);
    expect(await verify(token)).toEqual(VALID);
  }
  passTime(HOUR_MS);
  await expect(verify(token)).rejects.toEqual(UNAVAILABLE);
  await startOidcIssuer({ port: issuer.port, keys: issuer.keys });
  passTime(31 * SECOND_MS);
  expect(await verify(token)).toEqual(VALID);
});

test('answers 503 until the keys were fetched once', async () => {
  const issuer = await startOidcIssuer();
  const token = await issueLong(issuer);
  await issuer.stop();
  const verify = createVerifier(issuer.url);
  await expect(verify(token)).rejects.toEqual(UNAVAILABLE);
  await startOidcIssuer({ port: issuer.port, keys: issuer.keys });
  // The failure is not repeated at once.
  await expect(verify(token)).rejects.toEqual(UNAVAILABLE);
  passTime(5 * SECOND_MS);
  expect(await verify(token)).toEqual(VALID);
});

test('refuses a token without kid of an issuer with several keys', async () => {
  const issuer = await startOidcIssuer({ keys: [await createSigningJwk('first'), await createSigningJwk('second')] });
  const verify = createVerifier(issuer.url);
  expect(await verify(await issuer.forge({}, { kid: undefined }))).toBeUndefined();
  expect(await verify(await issuer.forge())).toEqual(VALID);
});

test('an issuer that does not answer fails after 5 s and does not delay tokens of others', async () => {
  const silent = await serveOnLoopback(() => {});
  const issuer = await startOidcIssuer();
  const verify = createVerifier(silent.url, issuer.url);
  const started = process.hrtime.bigint();
  const refused = expect(verify(await forgeToken(issuer.keys[0] ?? {}, { iss: silent.url }))).rejects.toEqual(
    UNAVAILABLE,
  );
  await until(() => silent.paths.length > 0);
  expect(await verify(await issuer.issue(), 1)).toEqual(VALID);
  expect(Number(process.hrtime.bigint() - started) / 1e6).toBeLessThan(4_000);
  await refused;
  expect(Number(process.hrtime.bigint() - started) / 1e6).toBeGreaterThan(4_900);
});

test('old keys of an issuer that does not answer delay only the first token', async () => {
  const issuer = await startOidcIssuer();
  const verify = createVerifier(issuer.url);
  const token = await issueLong(issuer);
  expect(await verify(token)).toEqual(VALID);
  await issuer.stop();
  const silent = await serveOnLoopback(() => {}, issuer.port);
  passTime(HOUR_MS);
  expect(await verify(token)).toEqual(VALID);
  passTime(MINUTE_MS);
  const started = process.hrtime.bigint();
  expect(await verify(token)).toEqual(VALID);
  expect(Number(process.hrtime.bigint() - started) / 1e6).toBeLessThan(4_000);
  await until(() => silent.paths.length === 2);
});
