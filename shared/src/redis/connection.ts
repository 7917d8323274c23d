import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { Logger } from '../logger.ts';
import { isRedisUnavailable, type RedisErrorCause, redisErrorCause } from './errors.ts';
import { holdReads } from './held-reads.ts';
import { NewestMasterConnector } from './newest-master.ts';
import { readOn } from './read-connection.ts';
import { parseRedisUrl, type RedisHost } from './redis-url.ts';
import { awaitReplicas } from './replicated-writes.ts';

/** A connection to a single Redis, to a master through Sentinel, or to a cluster; all have the same commands. */
export type RedisClient = Redis | Cluster;

type Options = RedisOptions & { replyMapping?: 'legacy' };

const CONNECTION_OPTIONS: Options = {
  connectTimeout: 5_000,
  // How often a server that loads its data is asked whether it is done. By default, that may take 10 s longer.
  maxLoadingRetryTime: 200,
  retryStrategy: reconnectDelayMs,
};

/**
 * Commands time out after 5 s and are never sent twice. They fail at once while Redis is unavailable: a request gets
 * 503 instead of waiting in an unbounded queue. `holdsReads` makes exceptions.
 */
const REQUEST_OPTIONS: Options = {
  ...CONNECTION_OPTIONS,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  commandTimeout: 5_000,
};

/** BullMQ's workers block on their connection, at most 10 s a time, and wait until Redis is available again. */
const QUEUE_OPTIONS: Options = { ...CONNECTION_OPTIONS, maxRetriesPerRequest: null };

const QUEUE_SOCKET_TIMEOUT_MS = 20_000;
const SENTINEL_TIMEOUT_MS = 2_000;
const SENTINEL_RECONNECT_MS = 1_000;
/** How long a master that does not respond may keep a connection that is being closed. */
const CLOSE_MS = 500;
const SLOTS_REFRESH_MS = 1_000;
/** How long reads wait: a failover takes four to nine seconds, a restart one to three. */
const HOLD_MS = { failover: 10_000, restart: 5_000 };
/** Why to ask the sentinels again: this may be the former master. */
const FORMER_MASTER = new Set<RedisErrorCause | undefined>(['read_only', 'no_replicas', 'not_replicated']);

function reconnectDelayMs(times: number): number {
  return Math.min(50 * 2 ** times, 1_000);
}

interface RequestOptions extends Options {
  /** Replicas that must have a write before it resolves; otherwise it rejects with `NotReplicatedError`. Default 0. */
  minReplicas?: number;
  /** With replicas, whether reads have a connection of their own. Default: true. */
  readsApart?: boolean;
  /** Whether reads wait for Redis for a while instead of failing at once: `held-reads.ts`. Default: false. */
  holdsReads?: boolean;
}

/** Creates a connection for requests. `url`: README.md "Configuration". The other options replace those above. */
export function connectRedis(
  url: string,
  logger: Logger,
  { minReplicas = 0, readsApart = true, holdsReads = false, ...overrides }: RequestOptions = {},
): RedisClient {
  const options = { ...REQUEST_OPTIONS, ...overrides };
  const client = connect(url, logger, options, minReplicas);
  if (minReplicas > 0 && readsApart) {
    const reads = create(url, options, 0).on('error', () => {});
    readOn(reads, client);
  }
  return holdsReads ? holdReads(client, parseRedisUrl(url) ? HOLD_MS.failover : HOLD_MS.restart) : client;
}

/** Creates a connection for BullMQ's queues and workers. */
export function connectQueueRedis(url: string, logger: Logger): RedisClient {
  return connect(url, logger, QUEUE_OPTIONS, 0);
}

function connect(url: string, logger: Logger, options: Options, minReplicas: number): RedisClient {
  const client = create(url, options, minReplicas);
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

  /** After a failover, the slots have other masters; ioredis asks for them only when it sends a command again. */
  override handleError(...args: Parameters<Cluster['handleError']>): void {
    if (isRedisUnavailable(args[0])) this.refreshSlotsCache();
    super.handleError(...args);
  }
}

function create(url: string, given: Options, minReplicas: number): RedisClient {
  const prepare = (client: Redis) =>
    minReplicas > 0 ? awaitReplicas(batchWrites(client), minReplicas) : batchWrites(client);
  // A lost or paused machine closes no connection.
  const options = { ...given, socketTimeout: given.commandTimeout ?? QUEUE_SOCKET_TIMEOUT_MS };
  const several = parseRedisUrl(url);
  // Behind the address of a service with failovers of its own is another server then.
  const reconnectOnError = (error: Error) => redisErrorCause(error) === 'read_only';
  if (!several) return prepare(new Redis(url, { ...options, reconnectOnError }));
  const { kind, hosts, username, password, tls, master, db } = several;
  const access = {
    ...(username && { username }),
    ...(password && { password }),
    ...(tls && { tls: {} }),
  };
  if (kind === 'cluster') return createCluster(hosts, { ...options, ...access }).on('+node', prepare);
  const sentinel = {
    ...options,
    ...access,
    sentinels: hosts,
    name: master || 'mymaster',
    db,
    ...sentinelOptions(access),
  };
  return prepare(new Redis(sentinel));
}

/** A failover closes the connection, and the next one goes to the new master. */
function sentinelOptions({ password, tls }: Options): Options {
  return {
    Connector: NewestMasterConnector,
    failoverDetector: true,
    reconnectOnError: (error) => FORMER_MASTER.has(redisErrorCause(error)),
    disconnectTimeout: CLOSE_MS,
    // Sentinels without a password accept any.
    sentinelPassword: password,
    sentinelCommandTimeout: SENTINEL_TIMEOUT_MS,
    sentinelReconnectStrategy: () => SENTINEL_RECONNECT_MS,
    enableTLSForSentinelMode: tls !== undefined,
    sentinelTLS: tls,
  };
}

function createCluster(nodes: RedisHost[], redisOptions: Options): Cluster {
  const { enableOfflineQueue = true, autoResendUnfulfilledCommands = true, tls } = redisOptions;
  const cluster = new (enableOfflineQueue ? Cluster : FailFastCluster)(nodes, {
    redisOptions,
    clusterRetryStrategy: reconnectDelayMs,
    slotsRefreshInterval: SLOTS_REFRESH_MS,
    // ioredis would send a command again that the lost node may have executed.
    ...(!autoResendUnfulfilledCommands && { retryDelayOnFailover: 0, retryDelayOnClusterDown: 0 }),
    // A certificate is for a name, not for the address that it resolves to.
    ...(tls && { dnsLookup: (host, found) => found(null, host) }),
  });
  // When it is closed while it reads the slots, ioredis would go on reading them for ever.
  return cluster.once('end', () => Object.assign(cluster, { refreshSlotsCache: () => {} }));
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
