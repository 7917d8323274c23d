import { answerDocument, createDocument } from '@agent-fleet/shared/contract/openapi';
import { requireScope } from '@agent-fleet/shared/contract/required-scope';
import { createRouter } from '@agent-fleet/shared/contract/router';
import { createHttpApp, finishApp } from '@agent-fleet/shared/http/app';
import { unavailable } from '@agent-fleet/shared/http/errors';
import { answerHealth, answerReady, type Lifecycle } from '@agent-fleet/shared/http/health';
import { refuseWrongToken, reportErrors, requireInternalToken } from '@agent-fleet/shared/http/internal-access';
import { createIdentityKeys } from '@agent-fleet/shared/identity/keys';
import { createLogger, type Logger } from '@agent-fleet/shared/logger';
import { measureRequests } from '@agent-fleet/shared/metrics/http-metrics';
import { createMetricsRegistry } from '@agent-fleet/shared/metrics/metrics-app';
import { createRedisMetrics } from '@agent-fleet/shared/metrics/redis-metrics';
import { createBarrier, refuseAfter } from '@agent-fleet/shared/redis/barrier';
import { connectRedis } from '@agent-fleet/shared/redis/connection';
import { checkRedis } from '@agent-fleet/shared/redis/held-reads';
import { createServiceTracing } from '@agent-fleet/shared/tracing/trace-service';
import { startAuditLog } from './audit/audit-log.ts';
import type { IdentityConfig } from './config.ts';
import { exposeAudit, exposePasswords } from './metrics/expose-identity.ts';
import { createIdentityMetrics } from './metrics/identity-metrics.ts';
import { createPasswords } from './passwords/passwords.ts';
import { createCommit } from './redis/commit.ts';
import type { IdentityContext } from './redis/context.ts';
import { createDurable } from './redis/durable.ts';
import { createBindings, TAGS } from './routes.ts';
import { isSessionCheck } from './sessions/caller.ts';
import { prepareData } from './start/prepare-data.ts';

/** Builds the service. `logger` replaces its own, for tests. */
export function createService(config: IdentityConfig, logger: Logger = createLogger('identity', config.logLevel)) {
  const { url, prefix, minReplicas } = config.redis;
  const redis = connectRedis(url, logger, { minReplicas, holdsReads: true });
  const registry = createMetricsRegistry();
  createRedisMetrics(registry).measure(redis);
  const metrics = createIdentityMetrics(registry);
  const keys = createIdentityKeys(prefix);
  const barrier = createBarrier(redis, keys.replicated, minReplicas);
  const { durable, close: closeDurable } = createDurable(url, keys.durable, barrier, logger);
  const context: IdentityContext = { redis, keys, logger, commit: createCommit(redis, keys), durable, metrics };
  const passwords = createPasswords({ cost: config.passwordHash });
  exposePasswords(registry, passwords);
  exposeAudit(registry, context);
  const bindings = createBindings(config, context, passwords);
  const lifecycle: Lifecycle = { stopping: false };
  const data = prepareData(config, context, passwords);
  const auditLog = startAuditLog(config, context);
  const requireScopeOf = requireScope(config.acceptedTokens);

  const app = createHttpApp(measureRequests(registry));
  app.get('/health', answerHealth);
  app.get(
    '/ready',
    refuseWrongToken(config.acceptedTokens),
    answerReady(lifecycle, async () => ({
      redis: await checkRedis(redis, keys.layout),
      ...(!data.isReady() && { data: 'the first user is not created yet' }),
    })),
  );
  app.use(requireInternalToken(config.acceptedTokens));
  const operations = bindings.map(({ operation }) => operation);
  app.get('/openapi.json', answerDocument(createDocument('Identity API', TAGS, operations)));
  app.use((_req, _res, next) => {
    if (!data.isReady()) throw unavailable('The service is starting; try again', 1, undefined, 'starting');
    next();
  });
  app.use(
    createRouter(bindings, (operation, _params, req) => {
      if (!isSessionCheck(operation, req)) requireScopeOf(operation, req);
    }),
  );
  app.use(refuseAfter(barrier), reportErrors);
  finishApp(app, logger);
  const tracing = createServiceTracing(config.tracing, 'identity', registry, logger);

  return {
    app: tracing.trace(app),
    metrics: registry,
    lifecycle,
    logger,
    /** Resolves when the data has the present layout and the first user exists. */
    started: data.done,
    async close() {
      await tracing.close();
      await data.close();
      await auditLog.close();
      closeDurable();
      redis.disconnect();
    },
  };
}
