import { type Cluster, type Redis, type RedisOptions, SentinelConnector } from 'ioredis';

const ANSWER_MS = 1_000;

interface Address {
  host: string;
  port: number;
}

/** What ioredis declares as private. */
interface Connector {
  readonly options: { name: string; sentinels: Partial<Address>[] };
  /** Of the connection before; calls its `disconnect` at +switch-master. */
  readonly failoverDetector: { disconnect?: () => void } | null;
  connect(emit: (type: string, error: Error) => void): Promise<Redis['stream']>;
  connectToSentinel(endpoint: Partial<Address>, options?: object): Redis;
  resolve(): Promise<Address>;
  initFailoverDetector(): Promise<void>;
  disconnect(): void;
}

interface Answer extends Address {
  epoch: number;
  /** How many sentinels there are, as far as this one knows. */
  sentinels: number;
}

const Base = SentinelConnector as unknown as new (options: unknown) => Connector;

/**
 * Asks all sentinels for the master, and believes the one with the newest configuration: a sentinel that is cut off
 * names the former master, which may be cut off with it. ioredis believes the first that answers.
 */
class NewestMaster extends Base {
  /** `host:port` of the master that the connection goes to. */
  master: string | undefined;

  #isOutdated = false;

  /** While there is no socket yet, ioredis 6.0 would end the connection for good when there is a new master. */
  override async connect(...args: Parameters<Connector['connect']>): Promise<Redis['stream']> {
    const detector = this.failoverDetector ?? {};
    detector.disconnect = () => {
      this.#isOutdated = true;
    };
    try {
      return await super.connect(...args);
    } finally {
      // The method of its class again.
      delete detector.disconnect;
    }
  }

  override async resolve(): Promise<Address> {
    this.#isOutdated = false;
    const [newest] = await this.#askAll();
    if (this.#isOutdated) return this.resolve();
    this.master = toText(newest);
    return newest;
  }

  /** Also notices a master that was announced after the sentinels were asked, and before the subscriptions to them. */
  override async initFailoverDetector(): Promise<void> {
    const { master } = this;
    await super.initFailoverDetector();
    const newest = await this.masterOfMost().catch(() => undefined);
    if (newest !== undefined && newest !== master && master === this.master) this.disconnect();
  }

  async masterOfMost(): Promise<string | undefined> {
    const answers = await this.#askAll();
    const [newest] = answers;
    // One that was started anew may know of no other.
    const sentinels = Math.max(newest.sentinels, this.options.sentinels.length);
    return answers.length > sentinels / 2 ? toText(newest) : undefined;
  }

  /** The answers of all sentinels that respond: the newest first, and what most name. @throws when none does */
  async #askAll(): Promise<[Answer, ...Answer[]]> {
    const answers = await Promise.allSettled(this.options.sentinels.map((sentinel) => this.#ask(sentinel)));
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    const votes = (answer: Answer) => found.filter((other) => toText(other) === toText(answer)).length;
    const [newest, ...others] = found.sort((one, other) => other.epoch - one.epoch || votes(other) - votes(one));
    if (newest) return [newest, ...others];
    throw (answers[0] as PromiseRejectedResult).reason;
  }

  override connectToSentinel(endpoint: Partial<Address>, options?: object): Redis {
    // Otherwise, ioredis prints each failure of a sentinel.
    return subscribeAgain(super.connectToSentinel(endpoint, options).on('error', () => {}));
  }

  async #ask(sentinel: Partial<Address>): Promise<Answer> {
    const client = this.connectToSentinel(sentinel, { connectTimeout: ANSWER_MS, commandTimeout: ANSWER_MS });
    let cause: Error | undefined;
    client.on('error', (error: Error) => {
      cause ??= error;
    });
    try {
      // In this order: the sentinel that leads a failover has the former address beside the new epoch for a second.
      const [reply, [host, port]] = (await Promise.all([
        client.call('SENTINEL', 'MASTER', this.options.name),
        client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', this.options.name),
      ])) as [string[], [string, string]];
      const read = (field: string) => Number(reply[reply.indexOf(field) + 1]);
      return { host, port: Number(port), epoch: read('config-epoch'), sentinels: 1 + read('num-other-sentinels') };
    } catch (error) {
      // Such as a refused certificate; commands only fail because the connection is closed.
      throw cause ?? error;
    } finally {
      client.disconnect();
    }
  }
}

/**
 * Subscribes again until it succeeds. After a reconnection, ioredis 6.0 tries once and does not handle the error, which
 * ends the process (ioredis#2187).
 */
function subscribeAgain(sentinel: Redis): Redis {
  const subscribe = sentinel.subscribe.bind(sentinel) as (...channels: unknown[]) => Promise<unknown>;
  sentinel.subscribe = ((...channels: unknown[]) => {
    const reply = subscribe(...channels);
    reply.catch(() => {
      sentinel.once('ready', () => void sentinel.subscribe(...(channels as string[])));
      sentinel.disconnect(true);
    });
    return reply;
  }) as Redis['subscribe'];
  return sentinel;
}

function toText({ host, port }: Address): string {
  return `${host}:${port}`;
}

function connectorOf(client: Redis | Cluster): NewestMaster | undefined {
  const { connector } = client as unknown as { connector: unknown };
  return connector instanceof NewestMaster ? connector : undefined;
}

/** `host:port` of the master that the sentinels have named for a connection; undefined without sentinels. */
export function masterOf(client: Redis | Cluster): string | undefined {
  return connectorOf(client)?.master;
}

/**
 * The master by the newest configuration, as `masterOf`; undefined unless more than half of the sentinels respond:
 * there can be a newer one.
 *
 * @throws when none responds
 */
export async function masterOfMost(client: Redis | Cluster): Promise<string | undefined> {
  return connectorOf(client)?.masterOfMost();
}

/** The option `Connector` of ioredis. */
export const NewestMasterConnector = NewestMaster as unknown as NonNullable<RedisOptions['Connector']>;
