import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { own } from '@agent-fleet/scripts/testing/own';
import { createHttpApp, finishApp } from '@agent-fleet/shared/http/app';
import { serve } from '@agent-fleet/shared/http/serve';
import { createLogger } from '@agent-fleet/shared/logger';
import type { RequestHandler } from 'express';
import { requireCanonicalTarget } from '../../src/canonical-target.ts';
import { createServiceProxy, type ServiceProxyOptions } from '../../src/proxy/service-proxy.ts';
import { traceRequests } from '../../src/tracing/trace-requests.ts';

export interface Received {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  rawHeaders: string[];
  body: string;
}

/** A service that records each complete request, then calls `listener`; by default it responds 200 `{"ok":true}`. */
export async function startUpstream(listener: RequestListener = respondOk, port = 0) {
  const received: Received[] = [];
  const record: RequestListener = async (req, res) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of req) chunks.push(chunk as Buffer);
    } catch {
      return; // It broke off: not a whole request.
    }
    const { method = '', url = '', headers, rawHeaders } = req;
    received.push({ method, url, headers, rawHeaders, body: Buffer.concat(chunks).toString('latin1') });
    listener(req, res);
  };
  return { ...(await startRawUpstreamServer(record, '127.0.0.1', port)), received };
}

export const respondOk: RequestListener = (_req, res) => {
  const body = '{"ok":true}';
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
};

/** A service whose `listener` gets requests before their bodies are read. */
export async function startRawUpstreamServer(listener: RequestListener, host = '127.0.0.1', port = 0) {
  const server = createServer({ keepAliveTimeout: 75_000 }, listener);
  server.listen(port, host);
  await once(server, 'listening');
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  own(close);
  const { port: usedPort } = server.address() as AddressInfo;
  return { url: `http://${host}:${usedPort}`, port: usedPort, server, close };
}

/** A TCP server, which need not speak HTTP. */
export async function startTcpUpstream(onConnection: (socket: Socket) => void, port = 0) {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    onConnection(socket);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  const { port: usedPort } = server.address() as AddressInfo;
  own(close);
  return { url: `http://127.0.0.1:${usedPort}`, close };
}

/** A minimal gateway: request id, canonical target, the given locals, the proxy and errors. */
export async function startProxy(
  url: string,
  options: Partial<ServiceProxyOptions> = {},
  locals: Partial<Express.Locals> = {},
) {
  const logger = createLogger('test', 'silent');
  const proxy = createServiceProxy({
    name: 'agents',
    url,
    timeoutMs: 60_000,
    internalToken: 'an-internal-token',
    changes: { position: 0 },
    logger,
    probeEveryMs: 60_000,
    ...options,
  });
  const setLocals: RequestHandler = (_req, res, next) => {
    Object.assign(res.locals, locals);
    next();
  };
  const app = createHttpApp(traceRequests(), requireCanonicalTarget, setLocals, proxy.handler);
  const server = await serve(finishApp(app, logger), {
    host: '127.0.0.1',
    port: 0,
    lifecycle: { stopping: false },
    drainSeconds: 0,
  });
  own(async () => {
    server.server.closeAllConnections();
    await server.close();
    await proxy.close();
  });
  return { port: server.port, origin: `http://127.0.0.1:${server.port}`, proxy };
}

/** A service and a minimal gateway in front of it. */
export async function startPair(
  listener: RequestListener,
  options: Partial<ServiceProxyOptions> = {},
  locals: Partial<Express.Locals> = {},
) {
  const upstream = await startRawUpstreamServer(listener);
  return { upstream, gateway: await startProxy(upstream.url, options, locals) };
}
