import type { Logger } from '@agent-fleet/shared/logger';
import type { Dispatcher } from 'undici';
import { type Resolve, watchAddresses } from './addresses.ts';
import { Replica, type ReplicaState } from './replica.ts';

/** For some thousands of long polls and streams beside short requests: 5,000 of them take 150 MB (measured). */
const DEFAULT_MAX_IN_FLIGHT = 5_000;
const DEFAULT_PROBE_EVERY_MS = 1_000;

export interface ReplicasOptions {
  /** Base URL without a path; every address of its host name is a replica. */
  url: string;
  /** Until the head of an answer, and between parts of its body unless the client accepts an event stream. */
  timeoutMs: number;
  internalToken: string | undefined;
  logger: Logger;
  /** Of each replica. Default: 5000. */
  maxInFlight?: number;
  /** Default: the system's resolver. */
  resolve?: Resolve;
  /** How often each replica is asked whether it is ready. Default: 1000. */
  probeEveryMs?: number;
}

/** The replicas of one service: which there are, and which takes the next request. */
export class Replicas {
  readonly #options: ReplicasOptions;
  readonly #url: URL;
  #known = new Map<string, Replica>();
  /** Those that take requests: the ones that are up, or all when none is. */
  #candidates: Replica[] = [];
  readonly #draining = new Set<Replica>();
  readonly #stopWatching: () => void;
  readonly #probes: NodeJS.Timeout;

  constructor(options: ReplicasOptions) {
    this.#options = options;
    this.#url = new URL(options.url);
    const hostname = this.#url.hostname.replace(/^\[|\]$/g, '');
    this.#stopWatching = watchAddresses(hostname, (found) => this.#update(found), options.logger, options.resolve);
    this.#probes = setInterval(() => {
      for (const replica of this.#known.values()) void replica.probe();
    }, options.probeEveryMs ?? DEFAULT_PROBE_EVERY_MS).unref();
  }

  /** The less busy of two random replicas, another than `avoided` where there is another; none while no address is known. */
  pick(avoided?: Replica): Replica | undefined {
    const candidates = this.#candidates;
    const count = candidates.length;
    if (count < 2) return candidates[0];
    const at = Math.floor(Math.random() * count);
    const next = Math.floor(Math.random() * (count - 1));
    const one = candidates[at] as Replica;
    const other = candidates[next < at ? next : next + 1] as Replica;
    if (one === avoided) return other;
    return other === avoided || one.inFlight <= other.inFlight ? one : other;
  }

  states(): ReplicaState[] {
    return [...this.#known.values()].map((replica) => replica.state);
  }

  /** Of the requests in flight at all replicas, those that have left included. */
  handlers(): Dispatcher.DispatchHandler[] {
    return [...this.#known.values(), ...this.#draining].flatMap(({ connections }) => connections.handlers());
  }

  /** `ok` when at least one replica says that it is ready, else why none is. */
  async ready(): Promise<string> {
    if (this.#known.size === 0) return 'no address';
    const answers = await Promise.all([...this.#known.values()].map((replica) => replica.askReady()));
    return answers.find((answer) => answer === 'ok') ?? (answers[0] as string);
  }

  /** Cuts what is in flight: to be called when the server is closed. */
  async close(): Promise<void> {
    this.#stopWatching();
    clearInterval(this.#probes);
    const replicas = [...this.#known.values(), ...this.#draining];
    this.#known.clear();
    this.#candidates = [];
    await Promise.all(replicas.map(({ connections }) => connections.destroy()));
  }

  /** An address that comes later than others that work has to show that it is ready before it gets requests. */
  #update(found: string[]): void {
    const anyUp = this.#candidates.some(({ up }) => up);
    const before = this.#known;
    this.#known = new Map(found.map((address) => [address, before.get(address) ?? this.#create(address, !anyUp)]));
    for (const [address, replica] of before) if (!this.#known.has(address)) void this.#drain(replica);
    this.#choose();
    for (const replica of this.#known.values()) if (!replica.up) void replica.probe();
  }

  #create(address: string, up: boolean): Replica {
    const { timeoutMs, internalToken, logger, maxInFlight = DEFAULT_MAX_IN_FLIGHT } = this.#options;
    logger.info({ address }, 'replica found');
    const onChange = () => this.#choose();
    return new Replica(address, up, { url: this.#url, timeoutMs, maxInFlight, internalToken, logger, onChange });
  }

  async #drain(replica: Replica): Promise<void> {
    this.#options.logger.info({ address: replica.address }, 'replica has left');
    this.#draining.add(replica);
    await replica.drain();
    this.#draining.delete(replica);
  }

  #choose(): void {
    const all = [...this.#known.values()];
    const up = all.filter((replica) => replica.up);
    this.#candidates = up.length > 0 ? up : all;
  }
}
