import { type Binding, bind } from '@agent-fleet/shared/contract/operation';
import type { IdentityContext } from '../redis/context.ts';
import type { SignIn } from '../sign-in/sign-in.ts';
import type { UserStore } from '../users/user-store.ts';
import { endSession, listSessions, readSession, signInBrowser, signOut } from './contract.ts';
import { createCurrentSession } from './current-session.ts';
import type { SessionStore } from './session-store.ts';
import { createSessions } from './sessions.ts';

/** What tokens and sessions need of other features. */
export interface SessionParts {
  users: UserStore;
  sessions: SessionStore;
  signIn: SignIn;
}

export function createSessionBindings(context: IdentityContext, parts: SessionParts): Binding[] {
  const current = createCurrentSession(context, parts);
  const sessions = createSessions(context, parts);
  return [
    bind(signInBrowser, current.create),
    bind(readSession, current.read),
    bind(signOut, current.delete),
    bind(listSessions, sessions.list),
    bind(endSession, sessions.end),
  ];
}
