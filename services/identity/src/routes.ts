import type { Binding, Tag } from '@agent-fleet/shared/contract/operation';
import { createApiKeyBindings } from './api-keys/routes.ts';
import { createAuditBindings } from './audit/routes.ts';
import type { IdentityConfig } from './config.ts';
import type { Passwords } from './passwords/passwords.ts';
import type { IdentityContext } from './redis/context.ts';
import { createSessionBindings } from './sessions/routes.ts';
import { createSessionStore } from './sessions/session-store.ts';
import { createFailures } from './sign-in/failures.ts';
import { createSignIn } from './sign-in/sign-in.ts';
import { createTokenBindings } from './tokens/routes.ts';
import { createUserBindings } from './users/routes.ts';
import { createUserStore } from './users/user-store.ts';

/** The groups of operations in the document. */
export const TAGS: Tag[] = [
  { name: 'Authentication', description: 'Access tokens, sessions of browsers, and the keys that verify tokens.' },
  { name: 'Users', description: 'Users, their roles and passwords.' },
  { name: 'API keys', description: 'Keys for workers and programs.' },
  { name: 'Audit', description: 'Who did what, from where.' },
];

/** All operations of the service. */
export function createBindings(config: IdentityConfig, context: IdentityContext, passwords: Passwords): Binding[] {
  const sessions = createSessionStore(context);
  const users = createUserStore(context);
  const failures = createFailures(context, config.signInFailures);
  const signIn = createSignIn(context, { users, passwords, failures });
  return [
    ...createTokenBindings(config, context, { users, sessions, signIn }),
    ...createSessionBindings(context, { users, sessions, signIn }),
    ...createUserBindings(context, { users, sessions, passwords, failures }),
    ...createApiKeyBindings(config, context, users),
    ...createAuditBindings(context),
  ];
}
