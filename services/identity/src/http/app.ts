import { answerDocument, createDocument } from '@agent-fleet/shared/contract/openapi';
import type { Binding, Operation, Tag } from '@agent-fleet/shared/contract/operation';
import { createServiceRouter } from '@agent-fleet/shared/contract/service-router';
import { createHttpApp, finishApp } from '@agent-fleet/shared/http/app';
import { unavailable } from '@agent-fleet/shared/http/errors';
import { answerHealth, answerReady, type Lifecycle } from '@agent-fleet/shared/http/health';
import { refuseWrongToken, reportErrors, requireInternalToken } from '@agent-fleet/shared/http/internal-access';
import { measureRequests } from '@agent-fleet/shared/metrics/http-metrics';
import { refuseAfter } from '@agent-fleet/shared/redis/replicated-writes';
import type { Request } from 'express';
import type { IdentityConfig } from '../config.ts';
import type { IdentityContext } from '../redis/context.ts';

/** The groups of operations in the document. */
const TAGS: Tag[] = [
  { name: 'Authentication', description: 'Access tokens, sessions of browsers, and the keys that verify tokens.' },
  { name: 'Users', description: 'Users, their roles and passwords.' },
  { name: 'API keys', description: 'Keys for workers and programs.' },
  { name: 'Audit', description: 'Who did what, from where.' },
];

interface AppOptions {
  acceptedTokens: IdentityConfig['acceptedTokens'];
  bindings: Binding[];
  lifecycle: Lifecycle;
  checkRedis: () => Promise<string>;
  /** Whether the data is prepared. */
  isReady: () => boolean;
}

/** The HTTP application of the service. */
export function createApp(
  { writes, registry, logger }: IdentityContext,
  { acceptedTokens, bindings, lifecycle, checkRedis, isReady }: AppOptions,
) {
  const operations = bindings.map(({ operation }) => operation);
  const checkReadiness = async () => ({
    redis: await checkRedis(),
    ...(!isReady() && { data: 'the first user is not created yet' }),
  });

  const app = createHttpApp(measureRequests(registry));
  app.get('/health', answerHealth);
  app.get('/ready', refuseWrongToken(acceptedTokens), answerReady(lifecycle, checkReadiness));
  app.use(requireInternalToken(acceptedTokens));
  app.get('/openapi.json', answerDocument(createDocument('Identity API', TAGS, operations)));
  app.use((_req, _res, next) => {
    if (!isReady()) throw unavailable('The service is starting; try again', 1, undefined, 'starting');
    next();
  });
  app.use(createServiceRouter({ bindings, acceptedTokens, isExempt: isSessionCheck }));
  app.use(refuseAfter(writes.barrier), reportErrors);
  finishApp(app, logger);
  return app;
}

/** Whether a request only asks who is signed in, if anybody: the one operation with credentials that works without. */
function isSessionCheck({ method, path }: Operation, { query }: Request): boolean {
  return method === 'get' && path === '/session' && query.optional === 'true';
}
