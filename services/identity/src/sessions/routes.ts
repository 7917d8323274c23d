import { type Binding, bind } from '@agent-fleet/shared/contract/operation';
import type { IdentityContext } from '../redis/context.ts';
import { endSession, listSessions, readSession, signInBrowser, signOut } from './contract.ts';
import { createCurrentSession, type SessionParts } from './current-session.ts';
import { createSessions } from './sessions.ts';

/** The operations on sessions. */
export function createSessionRoutes(context: IdentityContext, parts: SessionParts): Binding[] {
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
