import { type Binding, bind } from '@agent-fleet/shared/contract/operation';
import type { IdentityContext } from '../redis/context.ts';
import { createSignIn, type SignInParts } from '../sign-in/sign-in.ts';
import { endSession, listSessions, readSession, signInBrowser, signOut } from './contract.ts';
import { createCurrentSession } from './current-session.ts';
import { createSessions } from './sessions.ts';

export function createSessionBindings(context: IdentityContext, parts: SignInParts): Binding[] {
  const current = createCurrentSession(context, { ...parts, signIn: createSignIn(context, parts) });
  const sessions = createSessions(context, parts);
  return [
    bind(signInBrowser, current.create),
    bind(readSession, current.read),
    bind(signOut, current.delete),
    bind(listSessions, sessions.list),
    bind(endSession, sessions.end),
  ];
}
