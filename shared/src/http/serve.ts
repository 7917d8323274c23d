import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  IncomingMessage,
  type RequestListener,
  type Server,
  ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { limitChunks } from './connections/chunk-limit.ts';
import { type ConnectionLimit, limitConnections } from './connections/connection-limit.ts';
import { ignoreUpgrade } from './connections/ignored-upgrades.ts';
import { closeAfterEarlyResponse } from './connections/lingering-close.ts';
import { createPipelines } from './connections/pipelining.ts';
import { closeAfterFin, type RefusalOptions, refuseConnection } from './connections/refusal.ts';
import { type HttpError, httpError } from './errors.ts';
import type { Lifecycle } from './health.ts';
import { type CreateScheduler, schedulePerTick } from './request-scheduler.ts';
import { stop } from './shutdown.ts';

const MAX_HEADER_BYTES = 64 * 1024;
/** How long the gateway keeps an idle connection to a service open. */
export const IDLE_UPSTREAM_MS = 30_000;
/**
 * Longer than `IDLE_UPSTREAM_MS`: Node starts counting when a connection opens, and the gateway would take the 408 on a
 * connection that it has not used yet for the response to its first request.
 */
const HEADERS_TIMEOUT_MS = 40_000;
/** For the head and the body of a request together; responses may take longer. */
const REQUEST_TIMEOUT_MS = 60_000;
/** Longer than the idle timeouts of the load balancer and of the gateway's pools: they close connections first. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000;
/** A body of known length up to this has usually arrived with the head of its request. */
export const SMALL_BODY_BYTES = 16 * 1024;
const MAX_CONNECTIONS = 20_000;
/** Connections that the kernel queues, 4,096 at most: all clients of a failed replica may reconnect at once. */
const BACKLOG = 4_096;
/** What refused a request, for logs. */
const PARSER = { rejectedBy: 'parser' };
/** A CONNECT request has no path: all methods that some path allows. */
const CONNECT_ALLOWED = 'GET, HEAD, POST, PUT, DELETE, OPTIONS';

export interface ServeOptions extends RefusalOptions {
  host: string;
  /** 0 selects a free port. */
  port: number;
  lifecycle: Lifecycle;
  /** How long to keep serving after `close()` is called, while `/ready` is 503, so that load balancers notice. */
  drainSeconds: number;
  /** Time for a request's head, from the start of the connection or request; then 408. Default: 40 s, for services. */
  headersTimeoutMs?: number;
  /** Closes a connection without any bytes in either direction for this long during a request. Default: no limit. */
  silentMs?: number;
  /** Default: only the limit on all connections together applies. */
  connectionLimit?: ConnectionLimit;
  /**
   * Whether a response is still sent, within 5 s, after the client has closed its side of the connection; asked then,
   * and again when a waiting request starts. Default: no, for services: the gateway has then closed both sides.
   */
  answersAfterFin?: (res: ServerResponse) => boolean;
  /** Creates the scheduler of requests. Default: requests of one turn of the event loop start together at its end. */
  createScheduler?: CreateScheduler;
}

export interface RunningServer {
  port: number;
  server: Server;
  /** Drains, closes the listener, waits for requests in flight (at most 19 s in all), then closes all connections. */
  close(): Promise<void>;
}

/** An Express application, or a listener in front of one that has its prototypes. */
export interface App extends RequestListener {
  /** The prototype of requests. */
  request: object;
  /** The prototype of responses. */
  response: object;
}

/** Starts a server with the limits above. @throws the listen error, e.g. `EADDRINUSE` */
export async function serve(app: App, options: ServeOptions): Promise<RunningServer> {
  const { dispatch, scheduler } = createDispatcher(app, options);
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      connectionsCheckingInterval: 1_000,
      requireHostHeader: false,
      shouldUpgradeCallback: ignoreUpgrade,
      ...expressClasses(app),
    },
    dispatch,
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.timeout = options.silentMs ?? 0;
  if (options.connectionLimit) limitConnections(server, options.connectionLimit);
  // Node would silently drop headers above its default of 2,000; their size is already limited.
  server.maxHeadersCount = 0;
  // The requests before it on the same connection get their responses first.
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // Not when the client has reset the connection: its requests that have not started are dropped.
    if (socket.writable) scheduler.flush(socket);
    refuseConnection(socket, fromParserError(error), options);
  });
  if (options.answersAfterFin) answerAfterFin(server, options.answersAfterFin);
  // Node would respond with 417 and no body; RFC 9110 section 10.1.1 allows ignoring an unknown expectation.
  server.on('checkExpectation', dispatch);
  server.on('connect', (_req, socket: Socket) => {
    // Node no longer handles this socket: an error without a listener would end the process.
    socket.on('error', () => socket.destroy());
    scheduler.flush(socket);
    const headers = { allow: CONNECT_ALLOWED };
    refuseConnection(
      socket,
      httpError('method_not_allowed', 'CONNECT is not served', { headers, rejectedBy: 'parser' }),
      options,
    );
  });
  server.listen({ port: options.port, host: options.host, backlog: BACKLOG });
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    server,
    close: () => stop(server, scheduler, options.lifecycle, options.drainSeconds),
  };
}

function createDispatcher(app: App, options: ServeOptions) {
  const { lifecycle, createScheduler = schedulePerTick, answersAfterFin } = options;
  const closeIfEnding = (res: ServerResponse) => {
    if (lifecycle.stopping) res.setHeader('connection', 'close');
  };
  const scheduler = createScheduler((res) => {
    const { req } = res;
    closeIfEnding(res);
    if (!req.complete) closeAfterEarlyResponse(res);
    app(req, res);
    if (answersAfterFin && req.socket.readableEnded) closeAfterFin(req.socket, answersAfterFin);
  });
  const mayFollow = createPipelines();
  const refuseFraming = (req: IncomingMessage) => {
    scheduler.flush(req.socket);
    refuseConnection(req.socket, malformed('The body has too many small chunks'), options, req);
  };
  const dispatch: RequestListener = (req, res) => {
    if (req.headers['transfer-encoding'] !== undefined) limitChunks(req, () => refuseFraming(req));
    receive(req, res);
  };
  const receive: RequestListener = (req, res) => {
    // The response to a pipelined request waits for the ones before it; a client may send many without reading.
    if (res.socket !== null) {
      closeIfEnding(res);
      scheduler.schedule(req, res);
    } else if (mayFollow(res)) res.once('socket', () => receive(req, res));
  };
  return { dispatch, scheduler };
}

function answerAfterFin(server: Server, answers: (res: ServerResponse) => boolean): void {
  // An undocumented option of `http.Server`, as documented for `net.Server`: without it, Node closes its side of the
  // connection as soon as the client does.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('connection', (socket: Socket) => {
    socket.once('end', () => closeAfterFin(socket, answers));
  });
}

/** Whether a request has a body (RFC 9112 section 6.3). */
export function hasBody({ 'transfer-encoding': coding, 'content-length': length }: IncomingHttpHeaders): boolean {
  return coding !== undefined || (length !== undefined && length !== '0');
}

/**
 * Express changes the prototypes of each request and response. Objects of these classes have them from the start:
 * otherwise a proxied request takes 1.46 times the processor time (median of 11 interleaved rounds).
 */
function expressClasses({ request, response }: App) {
  return {
    IncomingMessage: withPrototype(IncomingMessage, request),
    ServerResponse: withPrototype(ServerResponse, response),
  };
}

function withPrototype<Class extends typeof IncomingMessage | typeof ServerResponse>(base: Class, prototype: object) {
  function construct(...values: unknown[]): object {
    return Reflect.construct(base, values, construct);
  }
  construct.prototype = prototype;
  return construct as unknown as Class;
}

function fromParserError(error: NodeJS.ErrnoException): HttpError {
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    return httpError('headers_too_large', `The headers are larger than ${MAX_HEADER_BYTES} bytes`, PARSER);
  }
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return httpError('request_timeout', 'The request took too long to arrive', PARSER);
  return malformed('The request is not valid HTTP/1.1');
}

function malformed(message: string): HttpError {
  return httpError('validation_error', message, {
    fields: [{ path: '', code: 'malformed_request', message }],
    ...PARSER,
  });
}
