import { type Binding, bind, json } from '@agent-fleet/shared/contract/operation';
import type { RequestHandler } from 'express';
import type { SignIn } from './auth/users/sign-in.ts';
import { issueToken, readHealth, readJwks, readOpenApi, readProtected, readReadiness } from './contract.ts';

/** A JSON document as it is served. */
interface TaggedText {
  text: string;
  etag: string;
}

interface Parts {
  signIn: SignIn;
  jwks: TaggedText;
  answerReady: RequestHandler;
  documents: { readonly current: TaggedText };
}

/** The gateway's own operations, except its pages. */
export function createOwnBindings({ signIn, jwks, answerReady, documents }: Parts): Binding[] {
  return [
    bind(readHealth, () => json({ status: 'ok' })),
    bind(readReadiness, async ({ req, res }) => {
      await answerReady(req, res, () => undefined);
      return undefined;
    }),
    bind(issueToken, signIn),
    bind(readProtected, ({ res }) => json({ user: res.locals.userEmail })),
    bind(readJwks, () => {
      const headers = { 'cache-control': 'public, max-age=300' };
      return { status: 200, json: jwks.text, etag: jwks.etag, headers };
    }),
    bind(readOpenApi, () => {
      const { text, etag } = documents.current;
      return { status: 200, json: text, etag, headers: { 'cache-control': 'no-cache' } };
    }),
  ];
}
