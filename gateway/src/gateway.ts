import { createRouter } from '@agent-fleet/shared/contract/router';
import { createHttpApp, finishApp } from '@agent-fleet/shared/http/app';
import { answerReady, type Lifecycle } from '@agent-fleet/shared/http/health';
import { measureInFlight } from '@agent-fleet/shared/metrics/http-metrics';
import { openStore } from '@agent-fleet/shared/redis/store';
import { createAuth } from './auth/auth.ts';
import { requireCanonicalTarget } from './canonical-target.ts';
import { identifyClient } from './client-address.ts';
import type { GatewayConfig } from './config.ts';
import { AUTHENTICATION_OPERATIONS, GATEWAY_OPERATIONS, readHealth, readReadiness } from './contract.ts';
import { createCors } from './cors/cors.ts';
import { logAccess, logParserRefusal, logShedRequest } from './observability/access-log.ts';
import type { GatewayLog } from './observability/log-destination.ts';
import { createMetrics } from './observability/metrics.ts';
import { observeRequests, type RequestObserver } from './observability/observe-requests.ts';
import { Documents } from './openapi/documents.ts';
import { shedLoad } from './overload/load-shedding.ts';
import { createOwnBindings } from './own-operations.ts';
import { createPages } from './pages/pages.ts';
import { createUpstreams } from './proxy/upstreams.ts';
import { createRateLimits, limitRate } from './rate-limits/rate-limits.ts';
import { createReadinessCheck } from './readiness.ts';
import { setCommonHeaders, setCommonHeadersOnError } from './response-headers.ts';
import { createRouteTable, type OwnPath, refuseUnknownPath, routeRequests } from './routing/routes.ts';
import { createTracing } from './tracing/tracing.ts';

export type Gateway = ReturnType<typeof createGateway>;

const OWN_PATHS: OwnPath[] = [
  ...AUTHENTICATION_OPERATIONS,
  ...GATEWAY_OPERATIONS,
  ...[readHealth, readReadiness].map(({ path, security }): OwnPath => ({ path, security, isProbe: true })),
];

/** Composes the gateway. The order of the handlers, from `createHttpApp` on, is the order of a request. */
export function createGateway(config: GatewayConfig, log: GatewayLog) {
  const { logger } = log;
  const lifecycle: Lifecycle = { stopping: false };
  const store = openStore(config.redis.url, logger);
  const { registry, countRejections, observe } = createMetrics([store.reader, store.writer]);
  const { prefix } = config.redis;
  const limits = createRateLimits(config.rateLimits, { redis: store, prefix, logger, registry });
  const writeAccessLog = logAccess(log);
  const access: RequestObserver = (requests) => {
    countRejections(requests);
    writeAccessLog(requests);
  };
  const cors = createCors(config.corsOrigins);
  const shedding = shedLoad({
    logger,
    registry,
    originHeaders: cors.errorHeaders,
    onShed: logShedRequest(access, config.trustedProxies),
  });
  const auth = createAuth(config, { store, registry, limits, logger });
  const upstreams = createUpstreams(config, { changes: auth.changes, registry, logger });
  const pages = createPages(config.webRoot, config.publicUrl?.clientPrefix);
  const findRoute = createRouteTable([...OWN_PATHS, ...pages.paths]);
  const checkReadiness = createReadinessCheck({ store, changes: auth.changes, upstreams: upstreams.byName });
  const own = createOwnBindings(auth, new Documents(config, logger), answerReady(lifecycle, checkReadiness));
  const tracing = createTracing(config.tracing, registry, logger);
  const observation = observeRequests(observe, access, auth.recordMissingScopes, tracing.observe);
  measureInFlight(registry, observation.inFlight);
  const app = createHttpApp(
    ...cors.originHandlers,
    observation.handler,
    tracing.handler,
    identifyClient(config.trustedProxies, config.publicUrl),
    requireCanonicalTarget,
    routeRequests(findRoute, cors.answerPreflight),
    auth.authenticate,
    limitRate(limits),
    refuseUnknownPath,
    upstreams.forward,
    setCommonHeaders,
  );
  app.use(pages.handler, createRouter(own));
  app.use(cors.openErrors, setCommonHeadersOnError);
  finishApp(app, logger);

  return {
    app,
    /** Of all metrics, for `/metrics` on the internal network. */
    metrics: registry,
    lifecycle,
    /** For the server: decides when requests start. */
    createScheduler: shedding.createScheduler,
    /** For the server: logs what it refuses itself. */
    onRefused: logParserRefusal(logger),
    /** Call it when the server begins to close: ends event streams and long polls in time. */
    stop: upstreams.endLong,
    async close() {
      observation.close();
      await tracing.close();
      shedding.close();
      limits.close();
      await upstreams.close();
      await auth.close();
      store.close();
    },
  };
}
