import { describe, expect, test } from '@jest/globals';
import jwt, { type JwtHeader, type JwtPayload, type SignOptions } from 'jsonwebtoken';
import type { Api } from '../harness/api.ts';
import { JWT_SECRET } from '../harness/local-fleet.ts';
import { expectResponse, expectUnauthenticated } from './expectations.ts';

const LEEWAY_SECONDS = 30;

/** Claims that replace good ones; `undefined` removes a claim. */
type Change = (now: number) => Record<string, unknown>;

const REFUSED: Record<string, Change> = {
  'no exp': () => ({ exp: undefined }),
  'no iat': () => ({ iat: undefined }),
  'no sub': () => ({ sub: undefined }),
  'no iss': () => ({ iss: undefined }),
  'no aud': () => ({ aud: undefined }),
  'no jti': () => ({ jti: undefined }),
  'no sid': () => ({ sid: undefined }),
  'no uid': () => ({ uid: undefined }),
  'no scope': () => ({ scope: undefined }),
  'no auth_time_ms': () => ({ auth_time_ms: undefined }),
  'an empty sub': () => ({ sub: '' }),
  'a sub that is a number': () => ({ sub: 5 }),
  'a sub that is a list': () => ({ sub: ['admin@e2e.example'] }),
  'a sub that is null': () => ({ sub: null }),
  'a sub that is not a user': () => ({ sub: 'nobody@example.com' }),
  'a sub that is no e-mail address': () => ({ sub: 'nobody' }),
  'another user of the same e-mail address': () => ({ uid: crypto.randomUUID() }),
  'an exp before the leeway': (now) => ({ iat: now - 1000, exp: now - LEEWAY_SECONDS - 5 }),
  'an exp that is a text': (now) => ({ exp: String(now + 1000) }),
  'an nbf after the leeway': (now) => ({ nbf: now + LEEWAY_SECONDS + 30 }),
  'another issuer': () => ({ iss: 'someone-else' }),
  'another audience': () => ({ aud: 'someone-else' }),
  'another audience in a list': () => ({ aud: ['someone', 'else'] }),
};

const ACCEPTED: Record<string, Change> = {
  'with the required values': () => ({}),
  'an exp within the leeway': (now) => ({ iat: now - 1000, exp: now - 5 }),
  'an nbf within the leeway': (now) => ({ nbf: now + 10 }),
  'the e-mail address in capitals': () => ({ sub: ' ADMIN@E2E.example ' }),
  'our audience among others': () => ({ aud: ['someone', 'agent-fleet'] }),
  'additional claims': () => ({ admin: true, scope: 'x' }),
};

/**
 * docs/contract.md "Credentials": the requirements of a token. The tokens are signed with the secret of the system
 * under test.
 */
export function specifyTokens(api: Api): void {
  async function present(change: Record<string, unknown>, options: SignOptions = {}, secret = JWT_SECRET) {
    const good = jwt.decode(await api.token()) as JwtPayload;
    const all: Record<string, unknown> = { ...good, ...change };
    const payload = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    const token = sign(payload, secret, options);
    return api.call('GET', '/protected', { as: 'nobody', headers: { authorization: `Bearer ${token}` } });
  }
  const now = () => Math.floor(Date.now() / 1000);

  describe('a token is accepted with claims', () => {
    test.each(Object.entries(ACCEPTED))('%s', async (_what, change) => {
      expectResponse(await present(change(now())), 200, { user: api.admin.email });
    });
  });

  describe('a token is 401 with', () => {
    test.each(Object.entries(REFUSED))('%s', async (_what, change) => {
      expectUnauthenticated(await present(change(now())));
    });

    test('a signature by another secret', async () => {
      expectUnauthenticated(await present({}, {}, `${JWT_SECRET}x`));
    });

    test.each(['HS384', 'HS512', 'none'] as const)('algorithm %s', async (algorithm) => {
      expectUnauthenticated(await present({}, { algorithm }));
    });

    test('an unknown kid', async () => {
      expectUnauthenticated(await present({}, { keyid: 'any' }));
    });

    test('a key in the token itself', async () => {
      const jwk = { kty: 'oct', k: Buffer.from('attacker').toString('base64url') };
      expectUnauthenticated(await present({}, { header: { alg: 'HS256', jwk } as JwtHeader }, 'attacker'));
    });

    test('an unknown critical header', async () => {
      expectUnauthenticated(await present({}, { header: { alg: 'HS256', crit: ['exp'] } }));
    });
  });

  test('a token is refused once it has expired', async () => {
    const exp = now() - LEEWAY_SECONDS + 6;
    const soon = { iat: exp - 60, exp };
    expect((await present(soon)).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 7_500));
    expectUnauthenticated(await present(soon));
  });
}

/** Without jsonwebtoken's own checks of claims: it signs a payload that is a text unchanged. */
function sign(payload: object, secret: string, options: SignOptions): string {
  if (options.algorithm === 'none') return jwt.sign(JSON.stringify(payload), '', options);
  return jwt.sign(JSON.stringify(payload), secret, { algorithm: 'HS256', ...options });
}
