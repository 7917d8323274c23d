import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { createHttpApp, finishApp } from '@agent-fleet/shared/http/app';
import { serve } from '@agent-fleet/shared/http/serve';
import { createLogger } from '@agent-fleet/shared/logger';
import { until } from '@agent-fleet/shared/testing/until';
import type { RequestHandler } from 'express';
import { createServiceProxy, type ServiceProxy, type ServiceProxyOptions } from '../../src/proxy/service-proxy.ts';
import { refuseTrace, requireCanonicalTarget } from '../../src/routing/canonical-target.ts';
import type { Route } from '../../src/routing/route-table.ts';
import { traceRequests } from '../../src/tracing/trace-requests.ts';

/** What is to be closed after each test, in reverse order. */
const owned: (() => Promise<unknown> | unknown)[] = [];

export async function closeAll(): Promise<void> {
  for (const close of owned.splice(0).reverse()) await close();
}

export function own(close: () => Promise<unknown> | unknown): void {
  owned.push(close);
}

/** Closes it after the test. */
export function keep<Owner extends { close(): Promise<unknown> }>(owner: Owner): Owner {
  own(() => owner.close());
  return owner;
}

export interface Received {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  rawHeaders: string[];
  body: string;
}

export interface Upstream {
  url: string;
  port: number;
  received: Received[];
}

/** A service that records each whole request before `answer` is asked; by default it answers 200 `{"ok":true}`. */
export async function startUpstream(
  answer: RequestListener = answerOk,
  host = '127.0.0.1',
  port = 0,
): Promise<Upstream> {
  const received: Received[] = [];
  const upstream = await startRawUpstreamServer(
    async (req, res) => {
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of req) chunks.push(chunk as Buffer);
      } catch {
        return; // It broke off: not a whole request.
      }
      const { method = '', url = '', headers, rawHeaders } = req;
      received.push({ method, url, headers, rawHeaders, body: Buffer.concat(chunks).toString('latin1') });
      answer(req, res);
    },
    host,
    port,
  );
  return { ...upstream, received };
}

export const answerOk: RequestListener = (_req, res) => {
  const body = '{"ok":true}';
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
};

/** A service whose `listener` gets requests before their bodies are read. */
export async function startRawUpstreamServer(listener: RequestListener, host = '127.0.0.1', port = 0) {
  const server = createServer({ keepAliveTimeout: 75_000 }, listener);
  server.listen(port, host);
  await once(server, 'listening');
  owned.push(() => {
    server.closeAllConnections();
    return server.close();
  });
  const { port: taken } = server.address() as AddressInfo;
  return { url: `http://${host}:${taken}`, port: taken, server };
}

/** A TCP server that does not have to speak HTTP. */
export async function startTcpUpstream(onConnection: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    onConnection(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  owned.push(() => {
    for (const socket of sockets) socket.destroy();
    return server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port };
}

export interface Gateway {
  port: number;
  origin: string;
  proxy: ServiceProxy;
}

/** The smallest gateway: request id, canonical target, a principal, the proxy and errors. */
export async function startGateway(
  url: string,
  options: Partial<ServiceProxyOptions> = {},
  principal?: string,
  route?: Route,
): Promise<Gateway> {
  const logger = createLogger('test', 'silent');
  const proxy = createServiceProxy({
    name: 'agents',
    url,
    timeoutMs: 60_000,
    internalToken: 'an-internal-token',
    logger,
    probeEveryMs: 60_000,
    ...options,
  });
  const identify: RequestHandler = (_req, res, next) => {
    res.locals.principal = principal;
    res.locals.route = route;
    next();
  };
  const app = finishApp(
    createHttpApp(traceRequests(), requireCanonicalTarget, refuseTrace, identify, proxy.handler),
    logger,
  );
  const server = await serve(app, { host: '127.0.0.1', port: 0, lifecycle: { stopping: false }, drainSeconds: 0 });
  owned.push(async () => {
    server.server.closeAllConnections();
    await server.close();
    await proxy.close();
  });
  return { port: server.port, origin: `http://127.0.0.1:${server.port}`, proxy };
}

/** A service and a gateway before it. */
export async function startPair(listener: RequestListener, options: Partial<ServiceProxyOptions> = {}) {
  const upstream = await startRawUpstreamServer(listener);
  return { upstream, gateway: await startGateway(upstream.url, options) };
}

/** A bare connection that remembers all it was sent. */
export class RawClient {
  readonly socket: Socket;
  text = '';
  closed = false;

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.setEncoding('latin1');
    this.socket.on('data', (chunk) => {
      this.text += chunk;
    });
    this.socket.on('error', () => {});
    this.socket.on('close', () => {
      this.closed = true;
    });
    owned.push(() => this.socket.destroy());
  }

  send(text: string): this {
    this.socket.write(text, 'latin1');
    return this;
  }

  /** Waits until what came satisfies `isDone`. @throws when that takes longer than 25 s */
  async until(isDone: (text: string) => boolean): Promise<string> {
    await until(() => isDone(this.text), { message: () => `got ${JSON.stringify(this.text)}` });
    return this.text;
  }

  async untilClosed(): Promise<string> {
    await until(() => this.closed, { message: () => `open still, got ${JSON.stringify(this.text)}` });
    return this.text;
  }
}

/** Sends raw bytes and gives all that came back until the server closed: the last request has to ask for that. */
export function exchangeRaw(port: number, text: string): Promise<string> {
  return new RawClient(port).send(text).untilClosed();
}

export function statusesIn(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
}
