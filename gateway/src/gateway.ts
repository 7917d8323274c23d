import { createRouter } from '@agent-fleet/shared/contract/router';
import { createHttpApp, finishApp } from '@agent-fleet/shared/http/app';
import { answerReady, type Lifecycle } from '@agent-fleet/shared/http/health';
import { inOrder } from '@agent-fleet/shared/http/in-order';
import type { Logger } from '@agent-fleet/shared/logger';
import { measureInFlight } from '@agent-fleet/shared/metrics/http-metrics';
import { createRedisMetrics } from '@agent-fleet/shared/metrics/redis-metrics';
import { connectRedis } from '@agent-fleet/shared/redis/connection';
import type { RequestHandler } from 'express';
import { createAuth } from './auth/auth.ts';
import type { ChangeFollower } from './auth/credentials/change-follower.ts';
import { identifyClient } from './client-address.ts';
import type { GatewayConfig } from './config.ts';
import { AUTHENTICATION_OPERATIONS, GATEWAY_OPERATIONS } from './contract.ts';
import { createCors } from './cors/cors.ts';
import { logAccess, logParserRefusal, logShedRequest } from './observability/access-log.ts';
import type { GatewayLog } from './observability/log-destination.ts';
import { createMetrics } from './observability/metrics.ts';
import { observeRequests, type RequestObserver } from './observability/observe-requests.ts';
import { atStage } from './observability/rejections.ts';
import { Documents } from './openapi/documents.ts';
import { limitInFlight } from './overload/in-flight-limit.ts';
import { shedLoad } from './overload/load-shedding.ts';
import { createOwnBindings } from './own-operations.ts';
import { createPages } from './pages/pages.ts';
import { limitBody } from './proxy/body-limit.ts';
import { createServiceProxy, type ServiceProxy } from './proxy/service-proxy.ts';
import { endLongExchanges } from './proxy/stopping.ts';
import { ignoreUndeclaredBody } from './proxy/undeclared-body.ts';
import { exposeUpstreams } from './proxy/upstream-metrics.ts';
import { limitRate } from './rate-limits/rate-limit.ts';
import { createRateLimits } from './rate-limits/rate-limits.ts';
import { createReadinessCheck } from './readiness.ts';
import { setCommonHeaders, setCommonHeadersOnError } from './response-headers.ts';
import { requireMethod } from './routing/allowed-methods.ts';
import { refuseTrace, requireCanonicalTarget } from './routing/canonical-target.ts';
import { createRouteTable, findRoute } from './routing/route-table.ts';
import { UPSTREAM_NAMES, UPSTREAM_ROUTES, type UpstreamName } from './routing/routes.ts';
import { createTracing } from './tracing/tracing.ts';

const MAX_IN_FLIGHT = 10_000;

export type Gateway = ReturnType<typeof createGateway>;

/**
 * Composes the gateway. The order of the middleware, from `createHttpApp` on, is the order of a request.
 * `documentRefreshMs`: how often a known document of a service is read again.
 */
export function createGateway(config: GatewayConfig, log: GatewayLog, documentRefreshMs?: number) {
  const { logger } = log;
  const lifecycle: Lifecycle = { stopping: false };
  const redis = connectRedis(config.redis.url, logger, { holdsReads: true });
  const metrics = createMetrics();
  createRedisMetrics(metrics.registry).measure(redis);
  const { prefix } = config.redis;
  const limits = createRateLimits(config.rateLimits, { redis, prefix, logger, registry: metrics.registry });
  const writeAccessLog = logAccess(log);
  const access: RequestObserver = (requests) => {
    metrics.countRejections(requests);
    writeAccessLog(requests);
  };
  const cors = createCors(config.corsOrigins);
  const shedding = shedLoad({
    logger,
    registry: metrics.registry,
    originHeaders: cors.errorHeaders,
    onShed: logShedRequest(access, config.trustedProxies),
  });
  const auth = createAuth(config, { redis, registry: metrics.registry, limits, logger });
  const upstreams = createUpstreams(config, auth.changes, logger);
  exposeUpstreams(metrics.registry, upstreams);
  endRevoked(auth.changes, Object.values(upstreams));
  const pages = createPages(config.webRoot);
  const ownPaths = [...AUTHENTICATION_OPERATIONS, ...GATEWAY_OPERATIONS, ...pages.paths];
  const routes = createRouteTable(ownPaths, UPSTREAM_ROUTES);
  const documents = new Documents(config, routes, logger, documentRefreshMs);
  const checkReadiness = createReadinessCheck({ redis, upstreams, documents });
  const own = createOwnBindings(auth, documents, answerReady(lifecycle, checkReadiness));
  const tracing = createTracing(config.tracing, metrics.registry, logger);
  const observation = observeRequests(metrics.observe, access, tracing.observe);
  measureInFlight(metrics.registry, observation.inFlight);
  const app = createHttpApp(
    cors.setOriginHeaders,
    observation.handler,
    tracing.handler,
    identifyClient(config.trustedProxies),
    atStage('path', requireCanonicalTarget),
    findRoute(routes),
    cors.answerPreflight,
    atStage('authentication', auth.authenticate),
    atStage('method', requireMethod),
    atStage('scope', auth.requireScope),
    atStage('rate_limit', limitRate(limits)),
    servicePathsOnly(
      inOrder(
        atStage('method', refuseTrace),
        atStage('overload', limitInFlight(MAX_IN_FLIGHT)),
        atStage('body_limit', limitBody(config.maxBodyBytes)),
        ignoreUndeclaredBody,
        atStage('upstream', forward(upstreams)),
      ),
    ),
    atStage('operation', setCommonHeaders),
  );
  app.use(pages.handler, createRouter(own));
  app.use(cors.openErrors, setCommonHeadersOnError);
  finishApp(app, logger);

  return {
    app,
    /** Of all metrics, for `/metrics` on the internal network. */
    metrics: metrics.registry,
    lifecycle,
    /** For the server: decides when requests start. */
    createScheduler: shedding.createScheduler,
    /** For the server: logs what it refuses itself. */
    onRefused: logParserRefusal(logger),
    /** Call it when the server begins to close: ends event streams and long polls in time. */
    stop(drainSeconds: number): void {
      endLongExchanges(Object.values(upstreams), drainSeconds);
    },
    async close() {
      observation.close();
      await tracing.close();
      shedding.close();
      limits.close();
      await documents.close();
      await Promise.all(Object.values(upstreams).map((proxy) => proxy.close()));
      await auth.close();
      redis.disconnect();
    },
  };
}

/** Ends what principals have open that may no longer have it. */
function endRevoked(changes: ChangeFollower, upstreams: readonly ServiceProxy[]): void {
  changes.onChange((name) => {
    for (const upstream of upstreams) upstream.endFor(name);
  });
  changes.onReset(() => {
    for (const upstream of upstreams) upstream.endUnverified();
  });
}

function createUpstreams(config: GatewayConfig, changes: ChangeFollower, logger: Logger) {
  const { internalToken, upstreamTimeoutMs: timeoutMs } = config;
  const proxies = UPSTREAM_NAMES.map((name): [UpstreamName, ServiceProxy] => {
    const url = config.upstreams[name];
    return [name, createServiceProxy({ name, url, timeoutMs, internalToken, changes, logger })];
  });
  return Object.fromEntries(proxies) as Record<UpstreamName, ServiceProxy>;
}

function servicePathsOnly(handler: RequestHandler): RequestHandler {
  return (req, res, next) => (res.locals.route?.upstream ? handler(req, res, next) : next());
}

function forward(upstreams: Record<UpstreamName, ServiceProxy>): RequestHandler {
  return (req, res, next) => upstreams[res.locals.route?.upstream as UpstreamName].handler(req, res, next);
}
