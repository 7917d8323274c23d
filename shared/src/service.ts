import { setTimeout as sleep } from 'node:timers/promises';
import type { ErrorRequestHandler, Express, Request, RequestHandler } from 'express';
import type { Registry } from 'prom-client';
import { answerDocument, createDocument } from './contract/openapi.ts';
import type { Binding, Operation, Tag } from './contract/operation.ts';
import type { BeforeOperation } from './contract/router.ts';
import { createServiceRouter } from './contract/service-router.ts';
import { createHttpApp, finishApp, inOrder } from './http/app.ts';
import { HttpError, unavailable } from './http/errors.ts';
import { answerHealth, answerReady, type Lifecycle } from './http/health.ts';
import { refuseWrongToken, reportErrors, requireInternalToken } from './http/internal-access.ts';
import { type App, serve } from './http/serve.ts';
import type { Logger } from './logger.ts';
import { measureRequests } from './metrics/http-metrics.ts';
import { serveMetrics } from './metrics/metrics-app.ts';
import type { Closable } from './process.ts';
import type { Barrier } from './redis/replicated-writes.ts';

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);
/** What is refused because of what is stored: a DELETE that is repeated gets 404. */
const BY_STATE = new Set([404, 409, 412]);

interface ServiceAppOptions {
  /** Of the API document. */
  title: string;
  tags: Tag[];
  bindings: readonly Binding[];
  acceptedTokens: readonly string[];
  registry: Registry;
  logger: Logger;
  lifecycle: Lifecycle;
  checkReadiness: Parameters<typeof answerReady>[1];
  /** Until then, operations are 503. Default: from the start. */
  isStarted?: () => boolean;
  /** Runs after the check of the internal token. */
  first?: RequestHandler;
  /** As of `createServiceRouter`. */
  isExempt?: (operation: Operation, req: Request) => boolean;
  before?: BeforeOperation;
  /** For replies that are sent only when replicas of Redis have what they say. */
  barrier?: Barrier;
}

/** The HTTP application of a service behind the gateway: health, readiness, API document, operations, errors. */
export function createServiceApp(options: ServiceAppOptions): Express {
  const { title, tags, bindings, acceptedTokens, registry, logger, lifecycle, isStarted, first, barrier } = options;
  const operations = bindings.map(({ operation }) => operation);
  const app = createHttpApp(measureRequests(registry));
  app.get('/health', answerHealth);
  app.get('/ready', refuseWrongToken(acceptedTokens), answerReady(lifecycle, options.checkReadiness));
  app.use(inOrder(requireInternalToken(acceptedTokens), ...(first ? [first] : [])));
  app.get('/openapi.json', answerDocument(createDocument(title, tags, operations)));
  if (isStarted) {
    app.use((_req, _res, next) => {
      if (!isStarted()) throw unavailable('The service is starting; try again', 1, undefined, 'starting');
      next();
    });
  }
  app.use(createServiceRouter({ bindings, acceptedTokens, isExempt: options.isExempt, before: options.before }));
  if (barrier) app.use(refuseAfter(barrier));
  app.use(reportErrors);
  return finishApp(app, logger);
}

/** Delays refusals of changes until the replicas have what they follow from. */
function refuseAfter(barrier: Barrier): ErrorRequestHandler {
  return (error: unknown, { method }, _res, next) => {
    if (READING.has(method) || !(error instanceof HttpError) || !BY_STATE.has(error.status)) next(error);
    else barrier().then(() => next(error), next);
  };
}

/** A service that is ready to be served. */
interface Service {
  app: App;
  metrics: Registry;
  lifecycle: Lifecycle;
  logger: Logger;
  /** Resolves when it can serve. */
  started?: Promise<unknown>;
  /** Ends requests that would last, before the server stops. */
  endOpenRequests?: () => void;
  close(): Promise<void>;
}

/** What the environment says about servers. */
interface ServiceConfig {
  host: string;
  port: number;
  drainSeconds: number;
  metrics: Parameters<typeof serveMetrics>[1];
}

/**
 * A replica listens once it can serve: a gateway repeats a refused GET at another replica, and not one that got 503.
 * After this time it listens anyway, and `/ready` says what it waits for.
 */
const LISTEN_WITHIN_MS = 2_000;

/** Serves a service and its metrics, for `runService`. `fields`: of the line that says so. */
export async function serveService(
  name: string,
  config: ServiceConfig,
  service: Service,
  fields = {},
): Promise<Closable> {
  const { app, metrics, lifecycle, logger, started } = service;
  const { host, port, drainSeconds } = config;
  const metricsServer = await serveMetrics(metrics, config.metrics, logger);
  await Promise.race([started, sleep(LISTEN_WITHIN_MS)]);
  const server = await serve(app, { host, port, lifecycle, drainSeconds });
  logger.info({ port: server.port, metrics_port: metricsServer.port, ...fields }, `${name} is listening`);
  await started;
  return {
    async close() {
      service.endOpenRequests?.();
      await server.close();
      await service.close();
      await metricsServer.close();
      logger.info(`${name} stopped`);
    },
  };
}
