import { parseApiKeys } from '@agent-fleet/access/environment-keys';
import { createHttpApp, finishApp } from '@agent-fleet/shared/http/app';
import { createLogger } from '@agent-fleet/shared/logger';
import { expect, test } from '@jest/globals';
import type { RequestHandler } from 'express';
import supertest from 'supertest';
import { toUpstreamHeaders } from '../proxy/upstream-request.ts';
import { authenticate } from './authenticate.ts';
import { CredentialCache } from './credentials/credential-cache.ts';
import { toPrincipal } from './schemes/principal.ts';
import { type AuthenticationScheme, unauthenticated, type VerifierDependencies } from './schemes/scheme.ts';
import { SCHEMES } from './schemes/schemes.ts';

const KEY = 'key-of-the-ci-0123456789';
const robot = toPrincipal({ actor: { type: 'key', id: '7', name: 'robot' }, uniqueName: 'robot', scopes: [] });
const certificateScheme: AuthenticationScheme = {
  name: 'certificate',
  header: 'X-Client-Name',
  isFallback: false,
  createVerifier: () => ({
    async verify(name) {
      if (name !== 'robot') throw unauthenticated();
      return robot;
    },
    isKnown: () => false,
  }),
};

function createApp() {
  const changes = {
    currentUntilMs: Number.POSITIVE_INFINITY,
    position: 0,
    onChange() {},
    onReset() {},
    close: async () => {},
  };
  const dependencies = {
    environmentKeys: parseApiKeys(`ci:${KEY}`),
    records: { async noteUse() {} },
    createCache: () => new CredentialCache(changes),
    changes,
  } as unknown as VerifierDependencies;
  const limits = { address: undefined, failedAuthentication: undefined };
  const setRoute: RequestHandler = (_req, res, next) => {
    res.locals.route = { template: '/', access: 'credentials' };
    next();
  };
  const handler = authenticate(dependencies, limits, [certificateScheme, ...SCHEMES]);
  const app = createHttpApp(setRoute, handler);
  app.get('/', (_req, res) => res.json(res.locals.caller?.principal));
  return supertest(finishApp(app, createLogger('test', 'silent')));
}

test('authenticates a request by the header of an additional scheme, which names the principal', async () => {
  for (const others of [{}, { 'X-API-Key': KEY }]) {
    const { body } = await createApp()
      .get('/')
      .set({ 'X-Client-Name': 'robot', ...others })
      .expect(200);
    expect(body).toBe('key:robot');
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
