import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { Logger } from '../logger.ts';

/** A connection to a single Redis, to a master through Sentinel, or to a cluster; all have the same commands. */
export type RedisClient = Redis | Cluster;

type Options = RedisOptions & { replyMapping?: 'legacy' };

/**
 * Commands time out after 5 s and are never sent twice. They fail at once while Redis is unavailable: a request gets
 * 503 instead of waiting in an unbounded queue.
 */
const REQUEST_OPTIONS: Options = {
  enableAutoPipelining: true,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 5_000,
  commandTimeout: 5_000,
  retryStrategy: reconnectDelayMs,
};

/** BullMQ's workers block on their connection and wait until Redis is available again. */
const QUEUE_OPTIONS: Options = {
  maxRetriesPerRequest: null,
  connectTimeout: 5_000,
  retryStrategy: reconnectDelayMs,
};

function reconnectDelayMs(times: number): number {
  return Math.min(50 * 2 ** times, 1_000);
}

/** Creates a connection for requests. `url`: README.md "Configuration". `overrides` replace the options above. */
export function connectRedis(url: string, logger: Logger, overrides: Options = {}): RedisClient {
  return connect(url, logger, { ...REQUEST_OPTIONS, ...overrides });
}

/** Creates a connection for BullMQ's queues and workers. */
export function connectQueueRedis(url: string, logger: Logger): RedisClient {
  return connect(url, logger, QUEUE_OPTIONS);
}

function connect(url: string, logger: Logger, options: Options): RedisClient {
  const client = create(url, options);
  let reported = false;
  client.on('error', (error: Error) => {
    if (!reported) logger.warn({ err: error }, 'redis is unavailable');
    reported = true;
  });
  client.on('ready', () => {
    if (reported) logger.info('redis is available again');
    reported = false;
  });
  return client;
}

/** Commands in one write. With larger writes Redis would have nothing to do while this process prepares them. */
const MAX_BATCH = 16;

/**
 * Sends the commands of one turn of the event loop in a few writes. The auto-pipelining of ioredis 6.0 creates a hidden
 * class per batch, which doubles the processor time of a command and leaves 2 KB per batch on the heap (measured).
 */
class BatchingRedis extends Redis {
  /** The stream of the current turn's commands while it is corked. */
  #socket: Redis['stream'] | undefined;
  #count = 0;

  override sendCommand(...command: Parameters<Redis['sendCommand']>): unknown {
    if (this.status === 'ready' && !this.#socket) this.#batch();
    const reply = super.sendCommand(...command);
    if (++this.#count === MAX_BATCH) this.#flush();
    return reply;
  }

  #batch(): void {
    const socket = this.stream;
    socket.cork();
    this.#socket = socket;
    this.#count = 0;
    setImmediate(() => {
      this.#socket = undefined;
      socket.uncork();
    });
  }

  #flush(): void {
    this.#count = 0;
    this.#socket?.uncork();
    this.#socket?.cork();
  }
}

/** `redis+cluster://[user:password@]host:port,host:port`, and the same for sentinels; WHATWG URLs have one host. */
const SEVERAL_HOSTS = /^redis\+(cluster|sentinel):\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^/]+)(?:\/([^/]*))?(?:\/(\d+))?$/;

function create(url: string, options: Options): RedisClient {
  const [, kind, username, password, hosts = '', master, db] = SEVERAL_HOSTS.exec(url) ?? [];
  const single = { ...options, enableAutoPipelining: false };
  if (!kind) return new BatchingRedis(url, single);
  const credentials = {
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
  };
  if (kind === 'sentinel') {
    const sentinels = parseHosts(hosts, 26379);
    return new BatchingRedis({ ...single, ...credentials, sentinels, name: master || 'mymaster', db: Number(db ?? 0) });
  }
  return new Cluster(parseHosts(hosts, 6379), {
    redisOptions: { ...options, ...credentials },
    enableOfflineQueue: options.enableOfflineQueue ?? true,
    enableAutoPipelining: options.enableAutoPipelining ?? false,
    clusterRetryStrategy: reconnectDelayMs,
  });
}

function parseHosts(hosts: string, defaultPort: number): { host: string; port: number }[] {
  return hosts.split(',').map((node) => {
    const [, host = node, port] = /^(.*?)(?::(\d+))?$/.exec(node) ?? [];
    return { host, port: port ? Number(port) : defaultPort };
  });
}

const UNAVAILABLE_NAMES = new Set(['MaxRetriesPerRequestError', 'ClusterAllFailedError', 'AbortError']);
/** ioredis throws these as plain errors without a code. */
const UNAVAILABLE_MESSAGES =
  /^(Connection is closed\.|Command timed out|Stream isn't writeable|Cluster isn't ready|Cluster is disconnect|None of startup nodes)/;
/** Prefixes of Redis' error replies while it starts, fails over or is out of memory. */
const UNAVAILABLE_REPLIES = /^(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|OOM|MISCONF|NOREPLICAS) /;

/** Whether an error means that Redis is temporarily unavailable, not that a command is wrong. */
export function isRedisUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'ReplyError') return UNAVAILABLE_REPLIES.test(error.message);
  return UNAVAILABLE_NAMES.has(error.name) || UNAVAILABLE_MESSAGES.test(error.message);
}

/** Waits until the connection is ready. @throws Error when `timeoutMs` pass before */
export async function waitForRedis(client: RedisClient, timeoutMs: number): Promise<void> {
  if (client.status === 'ready') return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new Error(`Redis does not respond within ${timeoutMs} ms`)), timeoutMs);
  client.once('ready', resolve);
  await promise.finally(() => {
    clearTimeout(timer);
    client.off('ready', resolve);
  });
}
