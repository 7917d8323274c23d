import { type Binding, bind, json } from '@agent-fleet/shared/contract/operation';
import { httpError } from '@agent-fleet/shared/http/errors';
import type { RequestHandler } from 'express';
import type { Auth } from './auth/auth.ts';
import { downloadClient, readHealth, readJwks, readOpenApi, readProtected, readReadiness } from './contract.ts';
import type { Documents } from './openapi/documents.ts';

/** The body of the response has the dependency. */
const NOT_READY = { error: 'unavailable', rejectedBy: 'readiness' };

/** The gateway's own operations, except its pages, which respond before these. */
export function createOwnBindings({ jwks }: Auth, documents: Documents, answerReady: RequestHandler): Binding[] {
  return [
    bind(readHealth, () => json({ status: 'ok' })),
    bind(readReadiness, async ({ req, res }) => {
      await answerReady(req, res, () => undefined);
      if (res.statusCode !== 200) res.locals.serviceRejection = NOT_READY;
      return undefined;
    }),
    bind(readProtected, ({ res }) => json({ user: res.locals.caller?.shownUser })),
    bind(readJwks, () => {
      const headers = { 'cache-control': 'public, max-age=300' };
      return { status: 200, json: jwks.text, etag: jwks.etag, headers };
    }),
    bind(readOpenApi, async () => {
      const { text, etag } = await documents.read();
      return { status: 200, json: text, etag, headers: { 'cache-control': 'no-cache' } };
    }),
    bind(downloadClient, () => {
      throw httpError('not_found', 'This build of Agent Fleet has no such client');
    }),
  ];
}
