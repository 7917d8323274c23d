import { type Binding, bind, json } from '@agent-fleet/shared/contract';
import type { RequestHandler } from 'express';
import type { SignIn } from './auth/sign-in.ts';
import { issueToken, readHealth, readOpenApi, readProtected, readReadiness } from './contract.ts';

interface Parts {
  signIn: SignIn;
  answerReady: RequestHandler;
  documents: { readonly current: { text: string; etag: string } };
}

/** What the gateway answers itself, beside its pages. */
export function createOwnBindings({ signIn, answerReady, documents }: Parts): Binding[] {
  return [
    bind(readHealth, () => json({ status: 'ok' })),
    bind(readReadiness, async ({ req, res }) => {
      await answerReady(req, res, () => undefined);
      return undefined;
    }),
    bind(issueToken, signIn),
    bind(readProtected, ({ res }) => json({ user: res.locals.userEmail })),
    bind(readOpenApi, () => {
      const { text, etag } = documents.current;
      return { status: 200, json: text, etag, headers: { 'cache-control': 'no-cache' } };
    }),
  ];
}
