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
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 5_000,
  commandTimeout: 5_000,
  retryStrategy: reconnectDelayMs,
};

/** BullMQ's workers block on their connection, at most 10 s a time, and wait until Redis is available again. */
const QUEUE_OPTIONS: Options = {
  maxRetriesPerRequest: null,
  connectTimeout: 5_000,
  retryStrategy: reconnectDelayMs,
};

const QUEUE_SOCKET_TIMEOUT_MS = 20_000;
const SENTINEL_TIMEOUT_MS = 2_000;

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
 * class per batch, which doubles the processor time of a command and leaves 2 KB per batch on the heap (measured). In a
 * cluster, it also passes MOVED on to the caller if other commands of the batch succeed.
 */
function batchWrites(client: Redis): Redis {
  const send = client.sendCommand.bind(client);
  /** The stream of the current turn's commands while it is corked. */
  let socket: Redis['stream'] | undefined;
  let count = 0;

  function cork(): void {
    const { stream } = client;
    stream.cork();
    socket = stream;
    count = 0;
    setImmediate(() => {
      socket = undefined;
      stream.uncork();
    });
  }

  client.sendCommand = (...command) => {
    if (client.status === 'ready' && !socket) cork();
    const reply = send(...command);
    if (++count === MAX_BATCH) {
      count = 0;
      socket?.uncork();
      socket?.cork();
    }
    return reply;
  };
  return client;
}

/** Commands for a node wait until it is connected. While the cluster has no node, they fail at once. */
class FailFastCluster extends Cluster {
  override sendCommand(...args: Parameters<Cluster['sendCommand']>): unknown {
    const [command] = args;
    if (this.status === 'ready' || command.name === 'cluster') return super.sendCommand(...args);
    command.reject(new Error("Cluster isn't ready"));
    return command.promise;
  }
}

/** `redis+cluster://[user:password@]host:port,host:port`, and the same for sentinels; WHATWG URLs have one host. */
const SEVERAL_HOSTS = /^redis\+(cluster|sentinel):\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^/]+)(?:\/([^/]*))?(?:\/(\d+))?$/;

function create(url: string, options: Options): RedisClient {
  const [, kind, username, password, hosts = '', master, db] = SEVERAL_HOSTS.exec(url) ?? [];
  if (!kind) return batchWrites(new Redis(url, options));
  const credentials = {
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
  };
  // A lost machine closes no connection, and another master replaces it.
  const socketTimeout = options.commandTimeout ?? QUEUE_SOCKET_TIMEOUT_MS;
  if (kind === 'cluster') return createCluster(parseHosts(hosts, 6379), { ...options, ...credentials, socketTimeout });
  const sentinel = {
    ...options,
    ...credentials,
    socketTimeout,
    sentinels: parseHosts(hosts, 26379),
    name: master || 'mymaster',
    db: Number(db ?? 0),
    // Sentinels without a password accept any.
    sentinelPassword: credentials.password,
    sentinelCommandTimeout: SENTINEL_TIMEOUT_MS,
  };
  return batchWrites(new Redis(sentinel));
}

function createCluster(nodes: Host[], redisOptions: Options): Cluster {
  const { enableOfflineQueue = true, autoResendUnfulfilledCommands = true } = redisOptions;
  const cluster = new (enableOfflineQueue ? Cluster : FailFastCluster)(nodes, {
    redisOptions,
    clusterRetryStrategy: reconnectDelayMs,
    // ioredis would send a command again that the lost node may have executed.
    ...(!autoResendUnfulfilledCommands && { retryDelayOnFailover: 0, retryDelayOnClusterDown: 0 }),
  });
  return cluster.on('+node', batchWrites);
}

interface Host {
  host: string;
  port: number;
}

function parseHosts(hosts: string, defaultPort: number): Host[] {
  return hosts.split(',').map((node) => {
    const [, host = node, port] = /^(.*?)(?::(\d+))?$/.exec(node) ?? [];
    return { host, port: port ? Number(port) : defaultPort };
  });
}

const UNAVAILABLE_NAMES = new Set(['MaxRetriesPerRequestError', 'ClusterAllFailedError', 'AbortError']);
/** ioredis throws these as plain errors without a code. */
const UNAVAILABLE_MESSAGES =
  /^(Connection is closed\.|Command timed out|Stream isn't writeable|Cluster isn't ready|Cluster is disconnect|None of startup nodes|Too many Cluster redirections)/;
/** Prefixes of Redis' error replies while it starts, fails over or is out of memory. */
const UNAVAILABLE_REPLIES =
  /^(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|OOM|MISCONF|NOREPLICAS|UNBLOCKED) /;

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
