import { createHttpApp, finishApp } from '@agent-fleet/shared/http/app';
import { createLogger } from '@agent-fleet/shared/logger';
import { expect, test } from '@jest/globals';
import supertest from 'supertest';
import type { GatewayConfig } from '../config.ts';
import { toUpstreamHeaders } from '../proxy/header-hygiene.ts';
import { authenticate } from './authenticate.ts';
import { parseApiKeys } from './schemes/api-keys.ts';
import type { BearerTokens } from './schemes/bearer-tokens.ts';
import type { AuthenticationScheme } from './schemes/scheme.ts';
import { SCHEMES } from './schemes/schemes.ts';
import { unauthenticated } from './unauthenticated.ts';

const KEY = 'key-of-the-ci-0123456789';
const certificateScheme: AuthenticationScheme = {
  name: 'certificate',
  header: 'X-Client-Name',
  securityScheme: { type: 'apiKey', in: 'header', name: 'X-Client-Name' },
  createVerifier: () => ({
    async verify(name) {
      if (name !== 'robot') throw unauthenticated();
      return { principal: 'certificate:robot' };
    },
    isKnown: () => false,
  }),
};

function createApp() {
  const config = { apiKeys: parseApiKeys(`ci:${KEY}`) } as GatewayConfig;
  const bearerTokens = { verify: () => undefined, isKnown: () => false } as unknown as BearerTokens;
  const limits = { address: undefined, failedAuthentication: undefined };
  const handler = authenticate({ config, bearerTokens }, limits, [certificateScheme, ...SCHEMES]);
  const app = createHttpApp(handler);
  app.get('/', (_req, res) => res.json(res.locals.principal));
  return supertest(finishApp(app, createLogger('test', 'silent')));
}

test('authenticates a request by the header of an additional scheme, which names the principal', async () => {
  for (const others of [{}, { 'X-API-Key': KEY }]) {
    const { body } = await createApp()
      .get('/')
      .set({ 'X-Client-Name': 'robot', ...others })
      .expect(200);
    expect(body).toBe('certificate:robot');
  }
});

test('refuses an invalid credential beside a valid one of an additional scheme', async () => {
  await createApp().get('/').set({ 'X-Client-Name': 'robot', 'X-API-Key': 'wrong' }).expect(403);
  await createApp().get('/').set({ 'X-Client-Name': 'other', 'X-API-Key': KEY }).expect(401);
});

test('forwards no credential of any scheme', () => {
  const headers = Object.fromEntries(SCHEMES.map(({ header }) => [header.toLowerCase(), 'secret']));
  const req = { headers: { ...headers, host: 'a' }, socket: {} } as Parameters<typeof toUpstreamHeaders>[0];
  const locals = { requestId: 'r' } as Express.Locals;
  expect(toUpstreamHeaders(req, locals, { host: 'agents', internalToken: undefined })).not.toContain('secret');
});
