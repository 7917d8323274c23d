import type { BlockList } from 'node:net';
import type { ConnectionLimit } from '@agent-fleet/shared/http/connections/connection-limit';
import { type RunningServer, type ServeOptions, serve } from '@agent-fleet/shared/http/serve';
import { toNetwork } from '@agent-fleet/shared/network';
import type { Response } from 'express';
import { isIn, toPlainAddress } from './client-address.ts';
import type { GatewayConfig } from './config.ts';
import type { Gateway } from './gateway.ts';
import { measureConnections } from './observability/metrics.ts';
import { commonHeaders } from './response-headers.ts';
import { isWaiting } from './routing/routes.ts';

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

/** All responses except those that wait for work or events: a client that has disconnected must not get a task. */
export const answersAfterFin: ServeOptions['answersAfterFin'] = (res) => {
  // Undefined until the request starts; it may be refused before.
  const route = (res as Partial<Response>).locals?.route;
  return !route || !isWaiting(route, res.req);
};

const LOOPBACK = /^127\.|^::1$/;

/** Load balancers, which forward many clients, and this machine are not limited. Undefined without any limit. */
export function toConnectionLimit(config: {
  maxConnectionsPerAddress: number;
  trustedProxies: BlockList;
}): ConnectionLimit | undefined {
  const { maxConnectionsPerAddress: maxPerClient, trustedProxies } = config;
  if (maxPerClient === 0) return undefined;
  return {
    maxPerClient,
    clientOf(remoteAddress) {
      const address = toPlainAddress(remoteAddress);
      return LOOPBACK.test(address) || isIn(trustedProxies, address) ? undefined : toNetwork(address);
    },
  };
}
