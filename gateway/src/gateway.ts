import { answerReady, type Lifecycle } from '@agent-fleet/shared/health';
import { createHttpApp, finishApp } from '@agent-fleet/shared/http-app';
import { inOrder } from '@agent-fleet/shared/in-order';
import type { Logger } from '@agent-fleet/shared/logger';
import { connectRedis } from '@agent-fleet/shared/redis';
import { createRouter } from '@agent-fleet/shared/router';
import type { Express, RequestHandler } from 'express';
import { logAccess } from './access-log.ts';
import { createAuth } from './auth/auth.ts';
import type { GatewayConfig } from './config.ts';
import { AUTHENTICATION_OPERATIONS, GATEWAY_OPERATIONS } from './contract.ts';
import { createDocsPages } from './docs-pages.ts';
import { createReadinessCheck } from './health.ts';
import { limitInFlight } from './in-flight.ts';
import { createMetrics } from './metrics.ts';
import { observeRequests } from './observe-requests.ts';
import { followServiceDocuments } from './openapi/combined-document.ts';
import { createOwnBindings } from './own-operations.ts';
import { refuseTrace, requireCanonicalTarget } from './proxy/canonical-path.ts';
import { createServiceProxy, type ServiceProxy } from './proxy/service-proxy.ts';
import { endLongExchanges } from './proxy/stopping.ts';
import { createRouteTable, findRoute } from './route-table.ts';
import { UPSTREAM_ROUTES, type UpstreamName } from './routes.ts';

const MAX_IN_FLIGHT = 10_000;

export interface Gateway {
  app: Express;
  /** `GET /metrics`, for a listener of its own. */
  metricsApp: Express;
  lifecycle: Lifecycle;
  /** To be called when the server begins to close: what would outlast that is ended by then. */
  stop(drainSeconds: number): void;
  close(): Promise<void>;
}

/** The whole gateway; the lines from `createHttpApp` on are the way of a request. */
export function createGateway(config: GatewayConfig, logger: Logger): Gateway {
  const lifecycle: Lifecycle = { stopping: false };
  const redis = connectRedis(config.redis.url, logger);
  const metrics = createMetrics(logger);
  const auth = createAuth(config, redis, logger);
  const upstreams = createUpstreams(config, logger);
  const pages = createDocsPages();
  const ownPaths = [...AUTHENTICATION_OPERATIONS, ...GATEWAY_OPERATIONS, ...pages.map(({ operation }) => operation)];
  const routes = createRouteTable(ownPaths, UPSTREAM_ROUTES);
  const documents = followServiceDocuments(config, routes, logger);
  const checkReadiness = createReadinessCheck({ redis, firstUser: auth.firstUser, upstreams, documents });
  const own = createOwnBindings({
    signIn: auth.signIn,
    answerReady: answerReady(lifecycle, checkReadiness),
    documents,
  });

  const observation = observeRequests(metrics.observe, logAccess(logger));
  const app = createHttpApp(
    observation.handler,
    requireCanonicalTarget,
    findRoute(routes),
    auth.authenticate,
    servicePathsOnly(inOrder(refuseTrace, limitInFlight(MAX_IN_FLIGHT), forward(upstreams))),
  );
  app.use(createRouter([...own, ...pages]));
  finishApp(app, logger);

  return {
    app,
    metricsApp: metrics.app,
    lifecycle,
    stop(drainSeconds) {
      endLongExchanges(Object.values(upstreams), drainSeconds);
    },
    async close() {
      observation.close();
      await documents.close();
      await Promise.all(Object.values(upstreams).map((proxy) => proxy.close()));
      await auth.close();
      redis.disconnect();
    },
  };
}

function createUpstreams(config: GatewayConfig, logger: Logger): Record<UpstreamName, ServiceProxy> {
  const { internalToken, upstreamTimeoutMs: timeoutMs } = config;
  const create = (name: UpstreamName) =>
    createServiceProxy({ name, url: config.upstreams[name], timeoutMs, internalToken, logger });
  return { agents: create('agents'), registry: create('registry') };
}

function servicePathsOnly(handler: RequestHandler): RequestHandler {
  return (req, res, next) => (res.locals.route?.upstream ? handler(req, res, next) : next());
}

function forward(upstreams: Record<UpstreamName, ServiceProxy>): RequestHandler {
  return (req, res, next) => {
    const upstream = res.locals.route?.upstream;
    return upstream ? upstreams[upstream].handler(req, res, next) : next();
  };
}
