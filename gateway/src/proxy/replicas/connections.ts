import { buildConnector, Client, type Dispatcher } from 'undici';

type Handler = Dispatcher.DispatchHandler;

export interface ConnectionsOptions extends Client.Options {
  connectTimeout: number;
  /** Told of each connection that could not be made. */
  onConnectError: (error: Error) => void;
}

/** An undici client, and whom it works for. */
interface Connection {
  readonly client: Client;
  handler: Handler | undefined;
}

/** A request that waits for a connection. */
interface Waiting {
  options: Dispatcher.DispatchOptions;
  handler: Handler;
}

/**
 * Of waiting requests, so many get a connection every 20 ms: one that has become free, or else a new one. A thousand that arrive
 * together would open a thousand connections, each as expensive as several requests, most of them no longer needed once the
 * first responses are there.
 */
const SERVED_AT_ONCE = 32;
const SERVE_MORE_AFTER_MS = 20;

/**
 * Connections to one address, each for one request at a time, as many as there are requests. undici's own `Pool` looks through
 * all of them for a free one: beside 5,000 that long polls and streams hold, a request takes twice the processor time
 * (measured). It also does not report its requests, of which those at a hanging replica move to another.
 */
export class Connections {
  /** Parsed once: each client would parse it anew. */
  readonly #origin: URL;
  readonly #options: Client.Options;
  readonly #onConnectError: (error: Error) => void;
  readonly #all = new Set<Connection>();
  /** Taken from its end, so that those at its beginning become idle and close. */
  readonly #free: Connection[] = [];
  /** For a connection; as many as the replica may have requests in flight. */
  #waiting: Waiting[] = [];
  /** Connections that were opened, or have become free for who waits, since the timer was set. */
  #served = 0;
  #more: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(origin: string, { onConnectError, connectTimeout, ...options }: ConnectionsOptions) {
    this.#origin = new URL(origin);
    const connect = buildConnector({ timeout: connectTimeout, allowH2: false });
    this.#options = { ...options, connect, pipelining: 1, allowH2: false };
    this.#onConnectError = onConnectError;
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Handler): void {
    const connection = this.#free.pop() ?? (this.#served < SERVED_AT_ONCE ? this.#open() : undefined);
    if (connection) this.#dispatchOn(connection, { options, handler });
    else this.#waiting.push({ options, handler });
  }

  /** Of the requests that are dispatched. Read from the connections: a set of them would cost each request a quarter more (measured). */
  handlers(): Handler[] {
    return [...this.#all, ...this.#waiting].flatMap(({ handler }) => handler ?? []);
  }

  /** Lets requests in flight end; those that wait for a connection fail. */
  async close(): Promise<void> {
    this.#closed = true;
    const closed = Promise.all([...this.#all].map(({ client }) => client.close()));
    this.#failWaiting();
    await closed;
  }

  /** Cuts what is in flight. */
  async destroy(): Promise<void> {
    this.#closed = true;
    const destroyed = Promise.all([...this.#all].map(({ client }) => client.destroy()));
    this.#failWaiting();
    await destroyed;
  }

  #open(): Connection {
    const client = new Client(this.#origin, this.#options);
    const connection: Connection = { client, handler: undefined };
    this.#all.add(connection);
    this.#served++;
    this.#openMoreLater();
    // Once for each request: the client has nothing to do.
    client.on('drain', () => this.#putBack(connection));
    client.on('connectionError', (_origin, _targets, error) => {
      this.#all.delete(connection);
      void client.close();
      this.#onConnectError(error);
      // To the same address the next one would be refused as well; a timeout may be this process's own, which was busy.
      if (!isTimeout(error)) this.#failWaiting();
    });
    if (this.#closed) void client.destroy();
    return connection;
  }

  #openMore(): void {
    const missing = Math.max(SERVED_AT_ONCE - this.#served, 0);
    this.#more = undefined;
    this.#served = 0;
    for (const next of this.#waiting.splice(0, missing)) this.#dispatchOn(this.#open(), next);
    if (this.#waiting.length > 0) this.#openMoreLater();
  }

  #openMoreLater(): void {
    this.#more ??= setTimeout(() => this.#openMore(), SERVE_MORE_AFTER_MS).unref();
  }

  #putBack(connection: Connection): void {
    connection.handler = undefined;
    if (!this.#all.has(connection)) return;
    const next = this.#waiting.shift();
    if (!next) {
      this.#free.push(connection);
      return;
    }
    this.#served++;
    this.#dispatchOn(connection, next);
  }

  #dispatchOn(connection: Connection, { options, handler }: Waiting): void {
    connection.handler = handler;
    const takesMore = connection.client.dispatch(options, handler);
    // Invalid options are refused before there is a request, and then no `drain` follows.
    if (!takesMore && connection.client.stats.size === 0) this.#putBack(connection);
  }

  /** As undici has requests fail of which nothing was sent: by a client that takes no more. */
  #failWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length === 0) return;
    const client = new Client(this.#origin, this.#options);
    void client.close();
    for (const { options, handler } of waiting) client.dispatch(options, handler);
  }
}

/** Whether a connection was not made in time, which says less of the other side than one that is refused. */
function isTimeout(error: Error): boolean {
  return (error as NodeJS.ErrnoException).code === 'UND_ERR_CONNECT_TIMEOUT';
}
