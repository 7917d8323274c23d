import { buildConnector, Client, type Dispatcher } from 'undici';

type Handler = Dispatcher.DispatchHandler;

export interface ConnectionsOptions extends Client.Options {
  connectTimeout: number;
  /** Called when a connection cannot be made. */
  onConnectError: (error: Error) => void;
}

/** An undici client and the handler of its current request. */
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
 * Every 20 ms, this many waiting requests get a connection: one that has become free, or else a new one. Otherwise a
 * thousand simultaneous requests would open a thousand connections, each as expensive as several requests, most of
 * which are no longer needed once the first responses have arrived.
 */
const SERVED_AT_ONCE = 32;
const SERVE_MORE_AFTER_MS = 20;

/**
 * Connections to one address, each for one request at a time, as many as there are requests. undici's own `Pool` scans
 * all connections for a free one: with 5,000 held by long polls and streams, a request takes twice the processor time
 * (measured). It also does not list its requests, which must move to another replica when theirs hangs.
 */
export class Connections {
  /** Parsed once: otherwise each client would parse it again. */
  readonly #origin: URL;
  readonly #options: Client.Options;
  readonly #onConnectError: (error: Error) => void;
  readonly #all = new Set<Connection>();
  /** A stack, so that the connections at its bottom become idle and close. */
  readonly #free: Connection[] = [];
  /** Requests that wait for a connection; bounded by the replica's limit of requests in flight. */
  #waiting: Waiting[] = [];
  /** Connections opened or reused for waiting requests since the timer was set. */
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

  /** Handlers of all dispatched requests, from the connections: a set would cost each request 25 % more (measured). */
  handlers(): Handler[] {
    return [...this.#all, ...this.#waiting].flatMap(({ handler }) => handler ?? []);
  }

  /** Waits for requests in flight; requests that wait for a connection fail. */
  close(): Promise<void> {
    return this.#end((client) => client.close());
  }

  /** Aborts requests in flight. */
  destroy(): Promise<void> {
    return this.#end((client) => client.destroy());
  }

  async #end(endClient: (client: Client) => Promise<void>): Promise<void> {
    this.#closed = true;
    const ended = Promise.all([...this.#all].map(({ client }) => endClient(client)));
    this.#failWaiting();
    await ended;
  }

  #open(): Connection {
    const client = new Client(this.#origin, this.#options);
    const connection: Connection = { client, handler: undefined };
    this.#all.add(connection);
    this.#served++;
    this.#openMoreLater();
    // Emitted once per request, when the client is idle.
    client.on('drain', () => this.#putBack(connection));
    client.on('connectionError', (_origin, _targets, error) => {
      this.#all.delete(connection);
      void client.close();
      this.#onConnectError(error);
      // Other connections to this address would be refused too; a timeout may only mean that this process was busy.
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
    // undici refuses invalid options before it creates a request; no `drain` follows then.
    if (!takesMore && connection.client.stats.size === 0) this.#putBack(connection);
  }

  /** Fails waiting requests through a closed client, so that undici reports them as never sent. */
  #failWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length === 0) return;
    const client = new Client(this.#origin, this.#options);
    void client.close();
    for (const { options, handler } of waiting) client.dispatch(options, handler);
  }
}

/** Whether the connection timed out, which is weaker evidence of a failed replica than a refusal. */
function isTimeout(error: Error): boolean {
  return (error as NodeJS.ErrnoException).code === 'UND_ERR_CONNECT_TIMEOUT';
}
