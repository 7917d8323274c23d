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

/**
 * Connections to one address, each for one request at a time, as many as there are requests. undici's own `Pool` looks through all of
 * them for a free one: beside 5,000 that long polls and streams hold, a request costs twice as much (measured).
 */
export class Connections {
  readonly #origin: string;
  readonly #options: Client.Options;
  readonly #onConnectError: (error: Error) => void;
  readonly #all = new Set<Connection>();
  /** Taken from its end, so that those at its beginning become idle and close. */
  readonly #free: Connection[] = [];
  #closed = false;

  constructor(origin: string, { onConnectError, connectTimeout, ...options }: ConnectionsOptions) {
    this.#origin = origin;
    const connect = buildConnector({ timeout: connectTimeout, allowH2: false });
    this.#options = { ...options, connect, pipelining: 1, allowH2: false };
    this.#onConnectError = onConnectError;
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Handler): void {
    const connection = this.#take();
    const { client } = connection;
    connection.handler = handler;
    const takesMore = client.dispatch(options, handler);
    // Invalid options are refused before there is a request, and then no `drain` follows.
    if (!takesMore && client.stats.size === 0) this.#putBack(connection);
  }

  request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
    return this.#take().client.request(options);
  }

  /** Of the requests that are dispatched. Read from the connections: a set of them would cost each request a quarter more (measured). */
  handlers(): Handler[] {
    return [...this.#all].flatMap(({ handler }) => handler ?? []);
  }

  /** Lets requests in flight end. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#all].map(({ client }) => client.close()));
  }

  /** Cuts what is in flight. */
  async destroy(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#all].map(({ client }) => client.destroy()));
  }

  #take(): Connection {
    return this.#free.pop() ?? this.#open();
  }

  #open(): Connection {
    const client = new Client(this.#origin, this.#options);
    const connection: Connection = { client, handler: undefined };
    this.#all.add(connection);
    // Once for each request: the client has nothing to do.
    client.on('drain', () => this.#putBack(connection));
    client.on('connectionError', (_origin, _targets, error) => {
      this.#all.delete(connection);
      void client.close();
      this.#onConnectError(error);
    });
    if (this.#closed) void client.destroy();
    return connection;
  }

  #putBack(connection: Connection): void {
    connection.handler = undefined;
    if (this.#all.has(connection)) this.#free.push(connection);
  }
}
