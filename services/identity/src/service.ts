import { answerDocument, createDocument } from '@agent-fleet/shared/contract/openapi';
import { requireScope } from '@agent-fleet/shared/contract/required-scope';
import { createRouter } from '@agent-fleet/shared/contract/router';
import { createHttpApp, finishApp } from '@agent-fleet/shared/http/app';
import { unavailable } from '@agent-fleet/shared/http/errors';
import { answerHealth, answerReady, type Lifecycle } from '@agent-fleet/shared/http/health';
import { requireInternalToken } from '@agent-fleet/shared/http/internal-access';
import { createIdentityKeys } from '@agent-fleet/shared/identity/keys';
import { createLogger, type Logger } from '@agent-fleet/shared/logger';
import { connectRedis } from '@agent-fleet/shared/redis/connection';
import { startAuditLog } from './audit/audit-log.ts';
import type { IdentityConfig } from './config.ts';
import { prepareData } from './migrations/prepare-data.ts';
import { createPasswords } from './passwords/passwords.ts';
import { createCommit } from './redis/commit.ts';
import type { IdentityContext } from './redis/context.ts';
import { createDurable } from './redis/durable.ts';
import { createBindings, TAGS } from './routes.ts';
import { isSessionCheck } from './sessions/caller.ts';

/** Builds the service. `logger` replaces its own, for tests. */
export function createService(config: IdentityConfig, logger: Logger = createLogger('identity', config.logLevel)) {
  const redis = connectRedis(config.redis.url, logger);
  const keys = createIdentityKeys(config.redis.prefix);
  const { durable, close: closeDurable } = createDurable(config.redis.url, keys.durable, logger);
  const context: IdentityContext = { redis, keys, logger, commit: createCommit(redis, keys), durable };
  const passwords = createPasswords({ cost: config.passwordHash });
  const bindings = createBindings(config, context, passwords);
  const lifecycle: Lifecycle = { stopping: false };
  const data = prepareData(config, context, passwords);
  const auditLog = startAuditLog(config, context);
  const requireScopeOf = requireScope(config.internalToken);

  const app = createHttpApp();
  app.get('/health', answerHealth);
  app.get(
    '/ready',
    answerReady(lifecycle, async () => ({
      redis: await redis.ping().then(
        () => 'ok',
        () => 'unavailable',
      ),
      ...(!data.isReady() && { data: 'migrating, or the first user is not created yet' }),
    })),
  );
  app.use(requireInternalToken(config.internalToken));
  const operations = bindings.map(({ operation }) => operation);
  app.get('/openapi.json', answerDocument(createDocument('Identity API', TAGS, operations)));
  app.use((_req, _res, next) => {
    if (!data.isReady()) throw unavailable('The service is starting; try again');
    next();
  });
  app.use(
    createRouter(bindings, (operation, _params, req) => {
      if (!isSessionCheck(operation, req)) requireScopeOf(operation, req);
    }),
  );
  finishApp(app, logger);

  return {
    app,
    lifecycle,
    logger,
    /** Resolves when the data has the present layout and the first user exists. */
    started: data.done,
    async close() {
      await data.close();
      await auditLog.close();
      closeDurable();
      redis.disconnect();
    },
  };
}
