import { request } from 'node:http';
import { serveUntilEnd } from '@agent-fleet/scripts/testing/serve-until-end';
import { expect, test } from '@jest/globals';
import { bodyOf, FORMS, openProxy, REAL_KEY, startModel } from '../support/model-proxy.ts';

const PLACES: readonly [string, (key: string) => { headers?: Record<string, string>; query?: string }][] = [
  ['x-api-key', (key) => ({ headers: { 'x-api-key': key } })],
  ['authorization', (key) => ({ headers: { authorization: `Bearer ${key}` } })],
  ['x-goog-api-key', (key) => ({ headers: { 'x-goog-api-key': key } })],
  ['?key=', (key) => ({ query: `?key=${key}&alt=sse&access_token=other` })],
];

test.each(PLACES)('takes the key of the attempt in %s, and sends the own key in its place', async (_place, place) => {
  for (const { provider, path } of FORMS) {
    const model = await startModel();
    const proxy = await openProxy(model.url, { provider });
    const { headers = {}, query = '' } = place(proxy.key);
    const url = proxy.baseUrl + path(false) + query;
    const cookies = { cookie: 'a=b', 'openai-organization': 'o', 'x-goog-user-project': 'p', 'x-forwarded-for': 'f' };
    const sent = { ...headers, ...cookies, 'user-agent': 'agent/1', 'anthropic-beta': 'b' };
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(bodyOf(false)), headers: sent });
    expect(response.status).toBe(200);
    const [received] = model.requests;
    expect(received).toMatchObject({ key: REAL_KEY, headers: { 'user-agent': 'agent/1', 'anthropic-beta': 'b' } });
    expect(JSON.stringify(received)).not.toContain(proxy.key);
    for (const name of Object.keys(cookies)) expect(received?.headers).not.toHaveProperty(name);
    expect(received?.headers['accept-encoding']).toBe('identity');
    expect(received?.path).not.toContain('access_token');
    expect((await response.text()) + JSON.stringify([...response.headers])).not.toContain(REAL_KEY);
  }
});

const SHAPES = {
  anthropic: { type: 'error', error: { type: 'authentication_error', message: expect.any(String) } },
  openai: { error: { type: 'authentication_error', code: 'invalid_api_key', message: expect.any(String) } },
  google: { error: { code: 401, status: 'UNAUTHENTICATED', message: expect.any(String) } },
};

test('refuses a wrong key, no key, the key of another provider, and a closed attempt', async () => {
  for (const { provider, path } of FORMS) {
    const model = await startModel();
    const proxy = await openProxy(model.url, { provider });
    const post = (headers: Record<string, string>, base = proxy.baseUrl) =>
      fetch(base + path(false), { method: 'POST', body: JSON.stringify(bodyOf(false)), headers });
    const other = provider === 'google' ? 'openai' : 'google';
    for (const response of [
      await post({ 'x-api-key': `${proxy.key}x` }),
      await post({ 'x-api-key': REAL_KEY }),
      await post({}),
    ]) {
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject(SHAPES[provider]);
    }
    const elsewhere = await post({ 'x-api-key': proxy.key }, proxy.baseUrl.replace(/\w+$/, other));
    expect(elsewhere.status).toBe(401);
    expect((await post({ 'x-api-key': proxy.key })).status).toBe(200);
    proxy.close();
    expect((await post({ 'x-api-key': proxy.key })).status).toBe(401);
    expect(model.requests).toHaveLength(1);
  }
});

test('keeps the attempts apart', async () => {
  const model = await startModel();
  const first = await openProxy(model.url);
  const options = {
    provider: 'anthropic',
    maxCost: undefined,
    onBudgetExceeded() {},
    onUsed() {},
    onLimited() {},
  } as const;
  const second = first.proxy.open(options);
  expect(second.key).not.toBe(first.key);
  expect(Buffer.from(second.key.slice('fleet-'.length), 'base64url').length).toBeGreaterThanOrEqual(16);
  await first.post('/v1/messages', bodyOf(false));
  expect(second.used()).toBeUndefined();
  first.close();
  expect((await first.post('/v1/messages', bodyOf(false), { headers: { 'x-api-key': second.key } })).status).toBe(200);
  expect(() => first.proxy.open({ ...options, provider: 'openai' })).toThrow('openai');
});

test('passes on what agents need and nothing else', async () => {
  for (const [provider, refused] of [
    ['anthropic', ['/v1/files', '/v1/messages/batches', '/v1/organizations/api_keys', '/v1/complete']],
    ['openai', ['/v1/files', '/v1/batches', '/v1/fine_tuning/jobs', '/v1/responses/abc', '/v1/organization/costs']],
    [
      'google',
      ['/v1beta/files', '/v1beta/cachedContents', '/v1beta/models/m:batchGenerateContent', '/upload/v1beta/files'],
    ],
  ] as const) {
    const model = await startModel();
    const proxy = await openProxy(model.url, { provider });
    const tricks = ['/v1//messages', '/v1/messages/', '/v1/../v1/messages', '/v1/%6dessages', '/V1/messages', '', '/'];
    for (const path of [...refused, ...tricks]) {
      const status = await rawStatus(proxy.baseUrl, 'POST', path, { 'x-api-key': proxy.key });
      expect(`${path} ${status}`).toBe(`${path} 404`);
    }
    expect(await rawStatus(proxy.baseUrl, 'DELETE', '/v1/models/m', { 'x-api-key': proxy.key })).toBe(404);
    expect(model.requests).toEqual([]);
    await rawStatus(proxy.baseUrl, 'GET', '/v1/models/m', { 'x-api-key': proxy.key });
    expect(model.requests).toMatchObject([{ method: 'GET', path: '/v1/models/m', body: undefined }]);
  }
});

test('refuses what a web page could send', async () => {
  const model = await startModel();
  const proxy = await openProxy(model.url);
  const port = new URL(proxy.baseUrl).port;
  const headers = { 'x-api-key': proxy.key };
  const tricks: Record<string, string>[] = [
    { host: `evil.example.com:${port}` },
    { host: '127.0.0.1' },
    { origin: 'https://evil.example.com' },
    { 'sec-fetch-site': 'cross-site' },
  ];
  for (const extra of tricks) {
    expect(await rawStatus(proxy.baseUrl, 'GET', '/v1/models', { ...headers, ...extra })).toBe(403);
  }
  expect(await rawStatus(proxy.baseUrl, 'GET', '/v1/models', { ...headers, host: `localhost:${port}` })).toBe(200);
});

test('removes the own key from an error that repeats it', async () => {
  const url = await serveUntilEnd((req, res) => {
    res.writeHead(401, { 'content-type': 'application/json', 'set-cookie': 'a=b', 'openai-organization': 'secret' });
    res.end(JSON.stringify({ error: { message: `Incorrect API key provided: ${req.headers['x-api-key']}` } }));
  });
  const proxy = await openProxy(url);
  const response = await proxy.post('/v1/messages', bodyOf(true));
  expect(response.status).toBe(401);
  expect(await response.json()).toEqual({ error: { message: 'Incorrect API key provided: [redacted]' } });
  expect([...response.headers.keys()]).not.toContain('set-cookie');
  expect([...response.headers.keys()]).not.toContain('openai-organization');
});

/** The status of a request whose path and headers are sent as they are. */
function rawStatus(baseUrl: string, method: string, path: string, headers: Record<string, string>) {
  const { hostname, port, pathname } = new URL(baseUrl);
  return new Promise<number | undefined>((resolve, reject) => {
    const call = request({ hostname, port, path: pathname + path, method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    call.on('error', reject).end(method === 'POST' ? JSON.stringify(bodyOf(false)) : undefined);
  });
}
