import { Cluster, type Command, Redis, type RedisOptions } from 'ioredis';
import type { Logger } from '../logger.ts';
import { isRedisUnavailable, type RedisErrorCause, redisErrorCause } from './errors.ts';
import { NewestMasterConnector } from './newest-master.ts';
import { parseRedisUrl, type RedisHost } from './redis-url.ts';

interface Observed {
  /** Called with each command; with one that is sent again, once more. */
  onCommand?: ((command: Command) => void) | undefined;
}

/** A connection to a single Redis, to a master through Sentinel, or to a cluster; all have the same commands. */
export type RedisClient = (Redis | Cluster) & Observed;

type Options = RedisOptions & { replyMapping?: 'legacy' };

const CONNECTION_OPTIONS: Options = {
  connectTimeout: 5_000,
  // How often a server that loads its data is asked whether it is done. By default, that may take 10 s longer.
  maxLoadingRetryTime: 200,
  retryStrategy: reconnectDelayMs,
};

/**
 * Commands time out after 5 s and are never sent twice. They fail at once while Redis is unavailable: a request gets
 * 503 instead of waiting in an unbounded queue.
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
/** The default of ioredis. */
const RETRY_ON_FAILOVER_MS = 100;
/** How long reads wait: a failover takes four to nine seconds, a restart one to three. */
const READ_WAIT_MS = { failover: 10_000, restart: 5_000 };
/** As many reads wait for a connection as a gateway has requests in flight. */
const MAX_QUEUED = 10_000;
/** Why to ask the sentinels again: this may be the former master. */
const FORMER_MASTER = new Set<RedisErrorCause | undefined>(['read_only', 'no_replicas', 'not_replicated']);

function reconnectDelayMs(times: number): number {
  return Math.min(50 * 2 ** times, 1_000);
}

/** Creates a connection for requests. `url`: docs/configuration.md. The options replace those above. */
export function connectRedis(url: string, logger: Logger, options: Options = {}): RedisClient {
  return report(create(url, { ...REQUEST_OPTIONS, ...options }), logger);
}

/**
 * Creates a connection for what only reads: while Redis is unavailable, reads wait and are sent again, so that a
 * failover delays them instead of failing them. They wait 10 s at most, or 5 s where there is nothing to fail over to.
 * In a longer outage, new ones fail at once.
 */
export function connectReads(url: string): RedisClient {
  const waitMs = parseRedisUrl(url) ? READ_WAIT_MS.failover : READ_WAIT_MS.restart;
  const limits = { maxRetriesPerRequest: null, commandTimeout: waitMs, socketTimeout: READ_WAIT_MS.restart };
  // Errors are reported by the connection for writes.
  const reads = create(url, { ...CONNECTION_OPTIONS, ...limits }).on('error', () => {});
  let outage: NodeJS.Timeout | undefined;
  const setQueue = (enableOfflineQueue: boolean) => Object.assign(reads.options, { enableOfflineQueue });
  reads.on('close', () => {
    outage ??= setTimeout(setQueue, waitMs, false).unref();
  });
  reads.on('ready', () => {
    clearTimeout(outage);
    outage = undefined;
    setQueue(true);
  });
  return reads;
}

/** Creates a connection for BullMQ's queues and workers. */
export function connectQueueRedis(url: string, logger: Logger): RedisClient {
  return report(create(url, QUEUE_OPTIONS), logger);
}

function report(client: RedisClient, logger: Logger): RedisClient {
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

function isQueueFull(client: RedisClient): boolean {
  const { offlineQueue } = client as unknown as { offlineQueue: { length: number } };
  return offlineQueue.length >= MAX_QUEUED;
}

/** Commands in one write. With larger writes Redis would have nothing to do while this process prepares them. */
const MAX_BATCH = 16;

/** Whether a command waited for a connection for too long: ioredis would still send it, for nobody. */
function isOver({ isSettled }: Command, stream: unknown): boolean {
  // A pipeline needs all its commands.
  return isSettled && stream === undefined;
}

type Sent = Parameters<Redis['sendCommand']>;

/**
 * Sends the commands of one turn of the event loop in a few writes. The auto-pipelining of ioredis 6.0 creates a hidden
 * class per batch, which doubles the processor time of a command and leaves 2 KB per batch on the heap (measured).
 */
class BatchingRedis extends Redis {
  onCommand: Observed['onCommand'];
  /** The stream of the current turn's commands while it is corked. */
  #corked: Redis['stream'] | undefined;
  #count = 0;

  override sendCommand(command: Sent[0], stream?: Sent[1]): unknown {
    if (isOver(command as Command, stream)) return command.promise;
    this.onCommand?.(command as Command);
    if (this.status === 'ready') this.#corked ??= this.#cork();
    else if (this.status !== 'connect' && isQueueFull(this)) {
      command.reject(new Error('Connection is closed.'));
      return command.promise;
    }
    const reply = super.sendCommand(command, stream);
    if (++this.#count === MAX_BATCH) {
      this.#count = 0;
      this.#corked?.uncork();
      this.#corked?.cork();
    }
    return reply;
  }

  #cork(): Redis['stream'] {
    const { stream } = this;
    stream.cork();
    this.#count = 0;
    setImmediate(() => {
      this.#corked = undefined;
      stream.uncork();
    });
    return stream;
  }
}

class ObservedCluster extends Cluster {
  onCommand: Observed['onCommand'];
  /** Whether commands fail at once while it has no node. */
  failsFast = false;

  override sendCommand(...args: Parameters<Cluster['sendCommand']>): unknown {
    const [command, stream] = args;
    if (isOver(command as Command, stream)) return command.promise;
    this.onCommand?.(command as Command);
    if (this.status === 'ready' || command.name === 'cluster') return super.sendCommand(...args);
    if (this.failsFast || isQueueFull(this)) {
      command.reject(new Error("Cluster isn't ready"));
      return command.promise;
    }
    // ioredis starts its timer only when a node gets the command.
    const { commandTimeout } = this.options.redisOptions ?? {};
    if (commandTimeout !== undefined) (command as Command).setTimeout(commandTimeout);
    return super.sendCommand(...args);
  }

  /** After a failover, the slots have other masters; ioredis asks for them only when it sends a command again. */
  override handleError(...args: Parameters<Cluster['handleError']>): void {
    if (isRedisUnavailable(args[0])) this.refreshSlotsCache();
    super.handleError(...args);
  }
}

function create(url: string, given: Options): RedisClient {
  // A lost or paused machine closes no connection.
  const options = { socketTimeout: given.commandTimeout ?? QUEUE_SOCKET_TIMEOUT_MS, ...given };
  const several = parseRedisUrl(url);
  // Behind the address of a service with failovers of its own is another server then.
  const reconnectOnError = (error: Error) => redisErrorCause(error) === 'read_only';
  if (!several) return new BatchingRedis(url, { ...options, reconnectOnError });
  const { kind, hosts, username, password, tls, master, db } = several;
  const access = {
    ...(username && { username }),
    ...(password && { password }),
    ...(tls && { tls: {} }),
  };
  if (kind === 'cluster') return createCluster(hosts, { ...options, ...access });
  return new BatchingRedis({
    ...options,
    ...access,
    sentinels: hosts,
    name: master || 'mymaster',
    db,
    ...sentinelOptions(access),
  });
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
  const { autoResendUnfulfilledCommands = true, enableOfflineQueue, commandTimeout, tls } = redisOptions;
  // Without a limit of time there is none of tries. BullMQ repeats at once what fails by any other error than a closed
  // connection, without a pause, until the memory is full.
  const maxRedirections = (commandTimeout ?? Number.POSITIVE_INFINITY) / RETRY_ON_FAILOVER_MS;
  const cluster = new ObservedCluster(nodes, {
    redisOptions,
    clusterRetryStrategy: reconnectDelayMs,
    slotsRefreshInterval: SLOTS_REFRESH_MS,
    ...(autoResendUnfulfilledCommands
      ? { maxRedirections, retryDelayOnFailover: RETRY_ON_FAILOVER_MS }
      : // ioredis would send a command again that the lost node may have executed.
        { retryDelayOnFailover: 0, retryDelayOnClusterDown: 0 }),
    // A certificate is for a name, not for the address that it resolves to.
    ...(tls && { dnsLookup: (host, found) => found(null, host) }),
  });
  cluster.failsFast = enableOfflineQueue === false;
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
