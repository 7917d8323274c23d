import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ADMIN, asNobody, asUser, type StartedService, startService } from './support/start-service.ts';
import { adminOf, auditOf, createUser, PASSWORD, readRecord, type TestUser } from './support/users.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let service: StartedService;
let admin: TestUser;
beforeAll(async () => {
  service = await startService();
  admin = await adminOf(service);
});
afterAll(() => service.close());

const post = (body: object) => service.http.post('/users').set(admin.headers).send(body);

test('creates a user, whose e-mail address is normalised, and serves no password', async () => {
  const input = { email: ' Grace@Example.com ', role: 'viewer', password: PASSWORD };
  const { body, headers } = await post(input).expect(201);
  expect(body).toEqual({
    id: expect.stringMatching(UUID_V7),
    email: 'grace@example.com',
    role: 'viewer',
    disabled: false,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    last_sign_in_at: null,
  });
  expect(headers.location).toBe(`/users/${body.id}`);
  const read = await service.http
    .get(headers.location as string)
    .set(admin.headers)
    .expect(200);
  expect([read.body, read.headers.etag]).toEqual([body, headers.etag]);
  await service.http
    .get(headers.location as string)
    .set({ ...admin.headers, 'if-none-match': headers.etag as string })
    .expect(304);
  expect(await readRecord(service, body.id)).toMatchObject({ password_hash: expect.stringMatching(/^\$argon2id\$/) });
  expect(await auditOf(service, body.id)).toMatchObject([
    {
      actor: { type: 'user', id: admin.id, name: ADMIN.email },
      action: 'user.created',
      target: { type: 'user', id: body.id },
      outcome: 'success',
      address: '192.0.2.1',
      request_id: expect.any(String),
    },
  ]);
});

test('refuses an e-mail address that is taken, in whatever case', async () => {
  const { email } = await createUser(service);
  for (const same of [email, email.toUpperCase(), ` ${email}`]) {
    const { body } = await post({ email: same, role: 'viewer' }).expect(409);
    expect(body).toEqual({ error: 'email_taken', message: 'Another user has this e-mail address' });
  }
});

test('creates one user when requests with the same e-mail address race', async () => {
  const made = await Promise.all(
    Array.from({ length: 10 }, (_, at) =>
      post({ email: at % 2 ? 'RACE@example.com' : 'race@example.com', role: 'viewer' }),
    ),
  );
  expect(made.map(({ status }) => status).toSorted()).toEqual([201, ...Array(9).fill(409)]);
});

test.each([
  [{ email: 'a@b.example' }, 'role'],
  [{ email: 'a@b.example', role: 'root' }, 'role'],
  [{ email: 'a@b.example', role: ['admin'] }, 'role'],
  [{ role: 'viewer' }, 'email'],
  [{ email: 'no address', role: 'viewer' }, 'email'],
  [{ email: `${'x'.repeat(10_000)}@b.example`, role: 'viewer' }, 'email'],
  [{ email: ['a@b.example'], role: 'viewer' }, 'email'],
  [{ email: 'a@b.example', role: 'viewer', password: 'too short' }, 'password'],
  [{ email: 'a@b.example', role: 'viewer', password: 'x'.repeat(129) }, 'password'],
  [{ email: 'long.enough@b.example', role: 'viewer', password: 'Long.Enough@b.example' }, 'password'],
  [{ email: 'a@b.example', role: 'viewer', password: null }, 'password'],
  [{ email: 'a@b.example', role: 'viewer', id: 'mine' }, 'id'],
  [{ email: 'a@b.example', role: 'viewer', disabled: false }, 'disabled'],
  [{ email: 'a@b.example', role: 'viewer', password_hash: 'x' }, 'password_hash'],
])('refuses the fields %#, and names the wrong one', async (input, path) => {
  const { body } = await post(input).expect(400);
  expect(body.error).toBe('validation_error');
  expect(body.details.fields.map((field: { path: string }) => field.path)).toEqual([path]);
});

test('lists users in pages, oldest first', async () => {
  const users: TestUser[] = [];
  for (let number = 0; number < 3; number++) users.push(await createUser(service));
  const total = await service.redis.zcard(service.keys.users);
  const { body, headers } = await service.http
    .get(`/users?skip=${total - 3}&limit=2`)
    .set(admin.headers)
    .expect(200);
  expect(body.map(({ id }: TestUser) => id)).toEqual(users.slice(0, 2).map(({ id }) => id));
  expect(headers['x-total-count']).toBe(String(total));
  expect(headers.link).toContain(`</users?skip=${total - 1}&limit=2>; rel="next"`);
  expect(Object.keys(body[0])).toEqual(['id', 'email', 'role', 'disabled', 'created_at', 'last_sign_in_at']);
  for (const query of ['skip=-1', 'limit=0', 'limit=1001', 'skip=1&skip=2']) {
    await service.http.get(`/users?${query}`).set(admin.headers).expect(400);
  }
  await service.http.get(`/users?skip=${Number.MAX_SAFE_INTEGER}`).set(admin.headers).expect(200, []);
});

test.each(['01997e6c-8a54-7c1b-b3a8-3f6d0c9e5a12', 'x', 'ME', '%00', '%E0%A4%A', '..%2fusers', 'x'.repeat(5_000)])(
  'finds no user %.40s, also for a request that is invalid',
  async (id) => {
    const missing = { detail: 'User not found' };
    await service.http.get(`/users/${id}`).set(admin.headers).expect(404, missing);
    await service.http.delete(`/users/${id}`).set(admin.headers).expect(404, missing);
    await service.http.put(`/users/${id}`).set(admin.headers).send({ role: 'root' }).expect(404, missing);
    await service.http.put(`/users/${id}`).set(admin.headers).send({ role: 'viewer', disabled: true }).expect(404);
    await service.http.post(`/users/${id}/password-resets`).set(admin.headers).expect(404, missing);
  },
);

test('only a principal with the scope users:admin manages users', async () => {
  const { id } = await createUser(service);
  for (const role of ['viewer', 'worker', 'operator'] as const) {
    const { headers } = await createUser(service, role);
    const requests = [
      service.http.get('/users'),
      service.http.post('/users').send({ email: 'x@y.example', role: 'admin' }),
      service.http.get(`/users/${id}`),
      service.http.put(`/users/${id}`).send({ role: 'admin', disabled: false }),
      service.http.delete(`/users/${id}`),
      service.http.post(`/users/${id}/password-resets`),
    ];
    for (const request of requests) {
      const { body } = await request.set(headers).expect(403);
      expect(body).toMatchObject({ error: 'forbidden', details: { required: 'users:admin' } });
    }
  }
  await service.http.get('/users').set(asNobody()).expect(403);
  await service.http.get('/users').expect(403);
});

test('a user reads their own record, and a key has none', async () => {
  const { id, email, headers } = await createUser(service, 'viewer');
  const { body } = await service.http.get('/users/me').set(headers).expect(200);
  expect(body).toMatchObject({ id, email, role: 'viewer' });
  const key = { ...headers, 'x-fleet-principal': 'key:ci', 'x-fleet-actor-id': admin.id };
  const refused = { error: 'forbidden', message: 'Only users have an account here' };
  await service.http.get('/users/me').set(key).expect(403, refused);
  const change = { current_password: PASSWORD, new_password: 'another long password' };
  await service.http.put('/users/me/password').set(key).send(change).expect(403, refused);
  const gone = asUser('01997e6c-8a54-7c1b-b3a8-3f6d0c9e5a12', 'gone@example.com', 'viewer');
  await service.http.get('/users/me').set(gone).expect(404, { detail: 'User not found' });
});

test('has at most 10,000 users', async () => {
  await using full = await startService();
  const { headers } = await adminOf(full);
  const ids = Array.from({ length: 9_999 }, (_, at) => [0, `id-${at}`]).flat();
  await full.redis.zadd(full.keys.users, ...(ids as string[]));
  const { body } = await full.http
    .post('/users')
    .set(headers)
    .send({ email: 'a@b.example', role: 'viewer' })
    .expect(403);
  expect(body).toEqual({ error: 'quota_exceeded', message: 'There are 10000 users already' });
  expect(await full.redis.exists(full.keys.userEmail('a@b.example'))).toBe(0);
  // Users who are gone since the list was read are left out.
  expect((await full.http.get('/users').set(headers).expect(200)).headers['x-total-count']).toBe('10000');
});
