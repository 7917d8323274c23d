import type { Operation, Tag } from '@agent-fleet/shared/contract/operation';
import type { Lifecycle } from '@agent-fleet/shared/http/health';
import { createLogger, type Logger } from '@agent-fleet/shared/logger';
import { createServiceApp } from '@agent-fleet/shared/service';
import { createServiceTracing } from '@agent-fleet/shared/tracing/trace-service';
import type { Request } from 'express';
import { createApiKeyRoutes } from './api-keys/routes.ts';
import { startAudit } from './audit/audit.ts';
import type { IdentityConfig } from './config.ts';
import { createPasswords } from './passwords/passwords.ts';
import { createContext } from './redis/context.ts';
import { createSessionRoutes } from './sessions/routes.ts';
import { createFailures } from './sign-in/failures.ts';
import { createSignIn } from './sign-in/sign-in.ts';
import { prepareData } from './start/prepare-data.ts';
import { ApiKeyStore } from './stores/api-key-store.ts';
import { SessionStore } from './stores/session-store.ts';
import { UserStore } from './stores/user-store.ts';
import { createTokenRoutes } from './tokens/routes.ts';
import { createUserRoutes } from './users/routes.ts';

/** The groups of operations in the document. */
const TAGS: Tag[] = [
  { name: 'Authentication', description: 'Access tokens, sessions of browsers, and the keys that verify tokens.' },
  { name: 'Users', description: 'Users, their roles and passwords.' },
  { name: 'API keys', description: 'Keys for workers and programs.' },
  { name: 'Audit', description: 'Who did what, from where.' },
];

/** For tests. */
interface Overrides {
  logger?: Logger;
}

/** Builds the service. */
export function createService(config: IdentityConfig, overrides: Overrides = {}) {
  const logger = overrides.logger ?? createLogger('identity', config.logLevel);
  const { context, checkRedis, close: closeContext } = createContext(config, logger);
  const { registry } = context;
  const users = new UserStore(context);
  const sessions = new SessionStore(context);
  const apiKeys = new ApiKeyStore(context);
  const passwords = createPasswords({ cost: config.passwordHash, registry });
  const failures = createFailures(context, config.signInFailures);
  const beginSignIn = createSignIn(context, { users, passwords, failures });
  const data = prepareData(context, { firstUser: config.firstUser, users, passwords });
  const audit = startAudit(context, config);
  const lifecycle: Lifecycle = { stopping: false };
  const app = createServiceApp({
    title: 'Identity API',
    tags: TAGS,
    acceptedTokens: config.acceptedTokens,
    bindings: [
      ...createTokenRoutes(context, { config, users, sessions, beginSignIn }),
      ...createSessionRoutes(context, { users, sessions, beginSignIn }),
      ...createUserRoutes(context, { users, sessions, apiKeys, passwords, failures }),
      ...createApiKeyRoutes(context, { apiKeys, users, environmentKeys: config.environmentKeys.list }),
      ...audit.bindings,
    ],
    registry,
    logger,
    lifecycle,
    checkReadiness: async () => ({
      redis: await checkRedis(),
      ...(!data.isReady() && { data: 'the first user is not created yet' }),
    }),
    isStarted: data.isReady,
    isExempt: isSessionCheck,
    barrier: context.writes.barrier,
  });
  const tracing = createServiceTracing(config.tracing, 'identity', registry, logger);

  return {
    app: tracing.trace(app),
    metrics: registry,
    lifecycle,
    logger,
    /** Resolves when the layout of the data is known and the first user exists. */
    started: data.done,
    async close() {
      await tracing.close();
      await data.close();
      await audit.close();
      closeContext();
    },
  };
}

/** Whether a request only asks who is signed in, if anybody: the one operation with credentials that works without. */
function isSessionCheck({ method, path }: Operation, { query }: Request): boolean {
  return method === 'get' && path === '/session' && query.optional === 'true';
}
