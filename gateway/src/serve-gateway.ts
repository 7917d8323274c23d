import { type RunningServer, type ServeOptions, serve } from '@agent-fleet/shared/http/serve';
import type { Response } from 'express';
import type { GatewayConfig } from './config.ts';
import type { Gateway } from './gateway.ts';
import { measureConnections } from './observability/metrics.ts';
import { toConnectionLimit } from './overload/connection-limit.ts';
import { commonHeaders } from './response-headers.ts';

/** Clients that send their headers slowly hold a connection no longer than this. */
const CLIENT_HEADERS_TIMEOUT_MS = 10_000;
/** Longer than any silence: services respond within their deadline, and event streams send a comment every 15 s. */
const SILENT_MARGIN_MS = 30_000;

/** Listens for clients. @throws the listen error */
export async function serveGateway(gateway: Gateway, config: GatewayConfig): Promise<RunningServer> {
  const { app, lifecycle, createScheduler, onRefused, metrics } = gateway;
  const { host, port, drainSeconds } = config;
  const server = await serve(app, {
    host,
    port,
    drainSeconds,
    headersTimeoutMs: CLIENT_HEADERS_TIMEOUT_MS,
    silentMs: config.upstreamTimeoutMs + SILENT_MARGIN_MS,
    lifecycle,
    createScheduler,
    onRefused,
    commonHeaders,
    answersAfterFin,
    connectionLimit: toConnectionLimit(config),
  });
  measureConnections(metrics, server.server);
  return server;
}

/** A query that makes a service wait. */
const WAIT = /[?&]wait=(?!0(?:&|$))/;

/** All responses except those that wait for work or events: a client that has disconnected must not get a task. */
export const answersAfterFin: ServeOptions['answersAfterFin'] = (res) => {
  const { method = '', url = '', headers } = res.req;
  // Undefined until the request starts; it may be refused before.
  const route = (res as Partial<Response>).locals?.route;
  if (!route?.upstream) return true;
  if (route.deadline?.waiting.includes(method) === false) return true;
  return method !== 'POST' && !WAIT.test(url) && !headers.accept?.includes('text/event-stream');
};
