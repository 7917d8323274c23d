import { narrow, ROLES } from '@agent-fleet/shared/identity/scopes';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { hash as argon2 } from '@node-rs/argon2';
import {
  type Account,
  asAdmin,
  CHEAP_HASHES,
  changeAccount,
  claimsOf,
  createAccount,
  dumpRedis,
  getTokens,
  postToken,
  readAudit,
  readSession,
  readUser,
  signIn,
} from '../support/accounts.ts';
import { ADMIN, asNobody, JWT_SECRET, type StartedService, startService } from '../support/start-service.ts';

const WRONG = { detail: 'Incorrect username or password' };
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const OPERATOR = narrow(ROLES.operator, ROLES.operator).join(' ');

let service: StartedService;
let account: Account;
beforeAll(async () => {
  service = await startService({ ...CHEAP_HASHES, SIGN_IN_FAILURES_PER_ACCOUNT: '0' });
  account = await createAccount(service);
});
afterAll(() => service.close());

test('a sign-in answers with a bearer token that is not stored, and nothing else', async () => {
  const response = await signIn(service, account).expect(200);
  expect(response.body).toEqual({ access_token: expect.any(String), token_type: 'bearer', expires_in: 1800 });
  expect(response.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
  const claims = claimsOf(response.body);
  expect(claims).toEqual({
    iss: 'agent-fleet',
    aud: 'agent-fleet',
    sub: account.email,
    uid: account.id,
    scope: OPERATOR,
    jti: expect.stringMatching(UUID_V7),
    sid: expect.stringMatching(UUID_V7),
    iat: expect.any(Number),
    exp: claims.iat + 1800,
    auth_time_ms: expect.any(Number),
  });
  expect(Math.abs(claims.auth_time_ms - Date.now())).toBeLessThan(5_000);
  expect(claims.jti).not.toBe(claims.sid);
  expect(await readSession(service, claims.sid)).toBeUndefined();
});

test('a sign-in is the last one of the user, and in the audit trail', async () => {
  const { jti, auth_time_ms } = claimsOf(await getTokens(service, account));
  expect((await readUser(service, account)).last_sign_in_at).toBe(new Date(auth_time_ms).toISOString());
  expect((await readAudit(service)).at(-1)).toEqual({
    actor: { type: 'user', id: account.id, name: account.email },
    action: 'token.issued',
    target: { type: 'token', id: jti },
    outcome: 'success',
    address: '192.0.2.1',
    request_id: expect.any(String),
  });
});

test.each([(email: string) => email.toUpperCase(), (email: string) => ` ${email} `])(
  'the e-mail address may be written in another way',
  async (write) => {
    await signIn(service, { ...account, email: write(account.email) }).expect(200);
  },
);

describe('the same 401 answers', () => {
  const refused: [string, (known: Account) => { username: string; password: string }][] = [
    ['a wrong password', ({ email }) => ({ username: email, password: 'wrong' })],
    ['an empty password', ({ email }) => ({ username: email, password: '' })],
    ['a longer password', ({ email, password }) => ({ username: email, password: `${password} ` })],
    ['a password of 10,000 characters', ({ email }) => ({ username: email, password: 'x'.repeat(10_000) })],
    ['an unknown user', ({ password }) => ({ username: 'nobody@example.com', password })],
    ['no e-mail address', ({ password }) => ({ username: 'nobody', password })],
    ['no user name', ({ password }) => ({ username: '', password })],
    ['__proto__', ({ password }) => ({ username: '__proto__', password })],
    ['a user name with a NUL', ({ email, password }) => ({ username: `${email}\0`, password })],
    ['a user name of 10,000 characters', ({ password }) => ({ username: 'x'.repeat(10_000), password })],
  ];

  test.each(refused)('%s', async (_what, toForm) => {
    const form = toForm(account);
    const response = await postToken(service, form).expect(401, WRONG);
    expect(response.headers).toMatchObject({ 'www-authenticate': 'Bearer', 'cache-control': 'no-store' });
    const entry = (await readAudit(service)).at(-1);
    const isKnown = form.username === account.email;
    expect(entry).toMatchObject({
      actor: { type: 'anonymous', id: null, name: form.username.trim().slice(0, 254) },
      action: 'sign_in.failed',
      target: isKnown ? { type: 'user', id: account.id } : null,
      outcome: 'failure',
      address: '192.0.2.1',
    });
    const line = service.logs.findLast(({ msg }) => msg === 'sign-in failed');
    expect(line).toMatchObject({ address: '192.0.2.1', request_id: entry?.request_id, account: entry?.actor.name });
  });

  test('a disabled user, and one without a password', async () => {
    const disabled = await createAccount(service);
    await changeAccount(service, disabled, true);
    await signIn(service, disabled).expect(401, WRONG);
    await changeAccount(service, disabled, false);
    await signIn(service, disabled).expect(200);
    const email = 'without-password@example.com';
    await service.http
      .post('/users')
      .set(await asAdmin(service))
      .send({ email, role: 'viewer' })
      .expect(201);
    for (const password of ['', 'null', 'undefined'])
      await postToken(service, { username: email, password }).expect(401);
  });
});

describe('a form', () => {
  test.each([
    ['without a password', 'username=a', ['password']],
    ['without a user name', 'password=a', ['username']],
    ['without both', 'x=1', ['username', 'password']],
    ['with a user name twice', 'username=a&username=b&password=c', ['username']],
    ['with a password twice', 'username=a&password=b&password=c', ['password']],
    ['with a grant twice', 'grant_type=password&grant_type=password&username=a&password=b', ['grant_type']],
    ['with a scope twice', 'username=a&password=b&scope=a&scope=b', ['scope']],
    ['with a scope of 1,001 characters', `username=a&password=b&scope=${'x'.repeat(1_001)}`, ['scope']],
    ['without a refresh token', 'grant_type=refresh_token&username=a&password=b', ['refresh_token']],
  ])('%s is 400', async (_what, form, paths) => {
    const { body } = await postToken(service, form).expect(400);
    expect(body.error).toBe('validation_error');
    expect(body.details.fields.map(({ path }: { path: string }) => path)).toEqual(paths);
  });

  test('must be a form, of at most 16 KiB', async () => {
    const { http } = service;
    const { body } = await http.post('/token').set(asNobody()).send({ username: 'a', password: 'b' }).expect(415);
    expect(body.error).toBe('unsupported_media_type');
    await postToken(service, { username: 'a', password: 'x'.repeat(16 * 1024) }).expect(413);
    await http.post('/token').set(asNobody()).expect(400);
  });

  test('may have other fields, which are ignored', async () => {
    const { email: username, password } = account;
    const more = { client_id: 'x', client_secret: 'y', role: 'admin', refresh_token: 'z', scope: '' };
    const { body } = await postToken(service, { grant_type: 'password', username, password, ...more }).expect(200);
    expect(Object.keys(body)).toEqual(['access_token', 'token_type', 'expires_in']);
  });

  test('with another grant is invalid_grant', async () => {
    const { email: username, password } = account;
    for (const grant_type of ['client_credentials', 'PASSWORD', '', '__proto__']) {
      const { body } = await postToken(service, { grant_type, username, password }).expect(400);
      expect(body).toEqual({ error: 'invalid_grant', error_description: expect.any(String) });
    }
  });
});

describe('scopes', () => {
  test('narrow the token, and are in the answer', async () => {
    const body = await getTokens(service, account, '  tasks:read agents:read   tasks:read ');
    expect(body.scope).toBe('agents:read tasks:read');
    expect(claimsOf(body).scope).toBe('agents:read tasks:read');
    expect(body.refresh_token).toBeUndefined();
  });

  test.each(['', ' ', '   '])('that are blank count as none: %j', async (scope) => {
    const body = await getTokens(service, account, scope);
    expect(body.scope).toBeUndefined();
    expect(claimsOf(body).scope).toBe(OPERATOR);
  });

  test.each([
    'users:admin',
    'agents:read users:admin',
    'agents:read,tasks:read',
    'x',
    'toString',
    'agents:read\ttasks:read',
  ])('that are unknown or more than the role are invalid_scope: %j', async (scope) => {
    const { body, headers } = await signIn(service, account, scope).expect(400);
    expect(body).toEqual({ error: 'invalid_scope', error_description: expect.any(String) });
    expect(headers['cache-control']).toBe('no-store');
    expect((await readAudit(service)).at(-1)).toMatchObject({
      actor: { id: account.id },
      action: 'token.refused',
      target: { type: 'user', id: account.id },
      outcome: 'failure',
    });
  });

  test('are looked at only when the password is right', async () => {
    const wrong = { ...account, password: 'wrong' };
    for (const scope of ['x', 'users:admin', 'agents:read']) await signIn(service, wrong, scope).expect(401, WRONG);
  });

  test('with offline_access give a refresh token; alone, it means those of the role', async () => {
    const all = await getTokens(service, account, 'offline_access');
    expect(all.refresh_token).toMatch(/^[\w-]{86}$/);
    expect(all.scope).toBe(`${OPERATOR} offline_access`);
    expect(claimsOf(all).scope).toBe(OPERATOR);
    const few = await getTokens(service, account, 'offline_access agents:read');
    expect(claimsOf(few).scope).toBe('agents:read');
    expect(few.scope).toBe('agents:read offline_access');
    const [forAll, forFew] = [claimsOf(all).sid, claimsOf(few).sid];
    expect((await readSession(service, forAll))?.scopes).toBeNull();
    expect((await readSession(service, forFew))?.scopes).toEqual(['agents:read']);
    const actions = (await readAudit(service)).slice(-2).map(({ action, target }) => [action, target?.id]);
    expect(actions).toEqual([
      ['session.created', forFew],
      ['token.issued', claimsOf(few).jti],
    ]);
  });
});

test('a user has at most 100 sessions: the oldest ends', async () => {
  const many = await createAccount(service);
  const sids: string[] = [];
  for (let count = 0; count < 102; count++) sids.push(claimsOf(await getTokens(service, many, 'offline_access')).sid);
  expect(await service.redis.zcard(service.keys.userSessions(many.id))).toBe(100);
  for (const [at, sid] of sids.entries()) {
    expect((await readSession(service, sid)) === undefined).toBe(at < 2);
    expect(await service.redis.exists(service.keys.revoked(sid))).toBe(at < 2 ? 1 : 0);
  }
  const ended = (await readAudit(service, 'session.ended')).filter(({ actor }) => actor.id === many.id);
  expect(ended.map(({ target }) => target?.id)).toEqual(sids.slice(0, 2));
});

test('a hash of another cost is replaced at the next sign-in', async () => {
  const user = await readUser(service, account);
  const password_hash = await argon2(account.password, { memoryCost: 9_000, timeCost: 1, parallelism: 1 });
  await service.redis.set(service.keys.user(user.id), JSON.stringify({ ...user, password_hash }));
  await signIn(service, { ...account, password: 'wrong' }).expect(401);
  expect((await readUser(service, account)).password_hash).toBe(password_hash);
  await signIn(service, account).expect(200);
  expect((await readUser(service, account)).password_hash).toMatch(/^\$argon2id\$v=19\$m=8192,t=1,p=1\$/);
  await signIn(service, account).expect(200);
});

test('neither Redis nor the log has a password, a token or the key', async () => {
  const { access_token, refresh_token } = await getTokens(service, account, 'offline_access');
  await signIn(service, { ...account, password: 'a wrong and secret password' }).expect(401);
  const [dump, logs] = [await dumpRedis(service), JSON.stringify(service.logs)];
  const secrets = [account.password, ADMIN.password, 'a wrong and secret password', access_token, refresh_token];
  const parts = [access_token.split('.')[2] as string, refresh_token.slice(22, 64), JWT_SECRET];
  for (const secret of [...secrets, ...parts]) {
    expect(dump).not.toContain(secret);
    expect(logs).not.toContain(secret);
  }
});

test('two instances with one prefix: each refreshes what the other has issued, at the same time too', async () => {
  await using other = await startService({ ...CHEAP_HASHES, REDIS_PREFIX: service.prefix });
  const all = await Promise.all(
    Array.from({ length: 20 }, (_, at) => signIn(at % 2 === 0 ? service : other, account, 'offline_access')),
  );
  expect(all.map(({ status }) => status)).toEqual(Array(20).fill(200));
  const tokens = all.map(({ body }) => body.refresh_token as string);
  const renewed = await Promise.all(
    tokens.map((refresh_token, at) =>
      postToken(at % 2 === 0 ? other : service, { grant_type: 'refresh_token', refresh_token }),
    ),
  );
  expect(renewed.map(({ status }) => status)).toEqual(Array(20).fill(200));
});
