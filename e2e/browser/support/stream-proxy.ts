import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A stream of events that a browser has asked for. */
export interface ProxiedStream {
  /** Its path and query. */
  url: string;
  /** By `performance.now()`. */
  openedAt: number;
  closedAt: number | undefined;
}

type Handler = (req: IncomingMessage, res: ServerResponse) => boolean;

/**
 * A front of the gateway that counts streams of events, and breaks them on request. `serve` responds to paths of its
 * own, and returns whether it did.
 */
export class StreamProxy {
  /** All so far. */
  readonly streams: ProxiedStream[] = [];
  /** Refuses new streams with this status. */
  refuseWith: number | undefined;
  readonly #stuck = new WeakSet<ServerResponse>();
  readonly #open = new Set<ServerResponse>();
  readonly #gateway: URL;
  readonly #serve: Handler;
  readonly #server = createServer((req, res) => this.#respond(req, res));

  constructor(gateway: string, serve: Handler) {
    this.#gateway = new URL(gateway);
    this.#serve = serve;
  }

  async listen(): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get openStreams(): ProxiedStream[] {
    return this.streams.filter(({ closedAt }) => closedAt === undefined);
  }

  /** The open streams send nothing more, as after a change of the network. New ones do. */
  stickStreams(): void {
    for (const res of this.#open) this.#stuck.add(res);
  }

  close(): void {
    this.#server.close().closeAllConnections();
  }

  #respond(req: IncomingMessage, res: ServerResponse): void {
    if (this.#serve(req, res)) return;
    if (req.headers.accept?.includes('text/event-stream')) this.#note(req, res);
    if (this.#open.has(res) && this.refuseWith !== undefined) res.writeHead(this.refuseWith).end();
    else this.#forward(req, res);
  }

  #note(req: IncomingMessage, res: ServerResponse): void {
    const stream: ProxiedStream = { url: String(req.url), openedAt: performance.now(), closedAt: undefined };
    this.streams.push(stream);
    this.#open.add(res);
    res.on('close', () => {
      stream.closedAt = performance.now();
      this.#open.delete(res);
    });
  }

  #forward(req: IncomingMessage, res: ServerResponse): void {
    const { hostname, port } = this.#gateway;
    const { method, url, headers } = req;
    const outgoing = request({ hostname, port, method, path: url, headers, agent: false }, (incoming) => {
      res.writeHead(incoming.statusCode ?? 502, incoming.rawHeaders);
      incoming.on('data', (chunk: Buffer) => this.#stuck.has(res) || res.write(chunk));
      incoming.on('end', () => res.end());
      incoming.on('error', () => res.destroy());
    });
    outgoing.on('error', () => res.destroy());
    res.on('close', () => outgoing.destroy());
    req.pipe(outgoing);
  }
}
