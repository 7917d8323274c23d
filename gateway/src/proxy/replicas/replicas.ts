import type { Dispatcher } from 'undici';
import { type Resolve, watchAddresses } from './addresses.ts';
import { Replica, type ReplicaSettings, type ReplicaState } from './replica.ts';

/** Room for thousands of long polls and streams beside short requests: 5,000 take 150 MB (measured). */
const DEFAULTS = { maxInFlight: 5_000, probeEveryMs: 1_000, silentMs: 1_000 };

type Settings = ReplicaSettings & typeof DEFAULTS;

export interface ReplicasOptions extends Omit<Settings, keyof typeof DEFAULTS>, Partial<typeof DEFAULTS> {
  /** Base URL without a path; every address of its host name is a replica. */
  url: string;
  /** Default: the system's resolver. */
  resolve?: Resolve;
  /** How often the host name is resolved. Default: 2000. */
  refreshMs?: number;
}

/** The replicas of one service, with load balancing and health checks. */
export class Replicas {
  readonly #options: ReplicasOptions & Settings;
  readonly #onHang: (replica: Replica) => void;
  readonly #url: URL;
  #known = new Map<string, Replica>();
  /** Replicas that get requests. */
  #candidates: Replica[] = [];
  readonly #draining = new Set<Replica>();
  readonly #stopWatching: () => void;
  readonly #probes: NodeJS.Timeout;

  /** `onHang` is called when a replica hangs while others are available: requests that can be repeated should move. */
  constructor(options: ReplicasOptions, onHang: (replica: Replica) => void) {
    this.#options = { ...DEFAULTS, ...options };
    this.#onHang = onHang;
    this.#url = new URL(options.url);
    const hostname = this.#url.hostname.replace(/^\[|\]$/g, '');
    this.#stopWatching = watchAddresses(hostname, (found) => this.#update(found), options.logger, options);
    this.#probes = setInterval(() => {
      for (const { probe } of this.all()) void probe.check();
    }, this.#options.probeEveryMs).unref();
  }

  /**
   * Picks the less busy of two random replicas (power of two random choices, Mitzenmacher 1996), other than `avoided`
   * if there is another. Undefined without an address; a full replica only when all are full.
   */
  pick(avoided?: Replica): Replica | undefined {
    const picked = this.#pickOfTwo(avoided);
    return picked && picked.inFlight >= picked.maxInFlight ? this.#leastBusy() : picked;
  }

  /** Whether another healthy replica has room. */
  hasRoomExcept(replica: Replica): boolean {
    return this.#candidates.some((other) => other !== replica && other.up && other.inFlight < other.maxInFlight);
  }

  states(): ReplicaState[] {
    return [...this.#known.values()].map((replica) => replica.state);
  }

  /** Including removed ones that still have requests in flight. */
  all(): Replica[] {
    return [...this.#known.values(), ...this.#draining];
  }

  /** Handlers of the requests in flight. */
  handlers(): Dispatcher.DispatchHandler[] {
    return this.all().flatMap(({ connections }) => connections.handlers());
  }

  /** `ok` when at least one replica reports that it is ready, else why none is. */
  async ready(): Promise<string> {
    if (this.#known.size === 0) return 'no address';
    const results = await Promise.all([...this.#known.values()].map((replica) => replica.probe.checkInTime()));
    return results.find((result) => result === 'ok') ?? (results[0] as string);
  }

  /** Aborts requests in flight: call it when the server is closed. */
  async close(): Promise<void> {
    this.#stopWatching();
    clearInterval(this.#probes);
    const replicas = this.all();
    this.#known.clear();
    this.#candidates = [];
    await Promise.all(replicas.map((replica) => replica.close()));
  }

  /** While other replicas work, a new one must pass a probe before it gets requests. */
  #update(found: string[]): void {
    const anyUp = this.#candidates.some(({ up }) => up);
    const before = this.#known;
    this.#known = new Map(found.map((address) => [address, before.get(address) ?? this.#create(address, !anyUp)]));
    for (const [address, replica] of before) if (!this.#known.has(address)) void this.#drain(replica);
    this.#choose();
    for (const replica of this.#known.values()) if (!replica.up) void replica.probe.check();
  }

  #create(address: string, up: boolean): Replica {
    this.#options.logger.info({ address }, 'replica found');
    return new Replica(address, up, {
      ...this.#options,
      url: this.#url,
      onChange: () => this.#choose(),
    });
  }

  async #drain(replica: Replica): Promise<void> {
    this.#options.logger.info({ address: replica.address }, 'replica removed');
    this.#draining.add(replica);
    await replica.drain();
    this.#draining.delete(replica);
  }

  #pickOfTwo(avoided: Replica | undefined): Replica | undefined {
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

  #leastBusy(): Replica | undefined {
    return this.#candidates.toSorted((one, other) => one.inFlight - other.inFlight)[0];
  }

  /** Candidates are the healthy replicas; when there is none, those that respond to probes; else all. */
  #choose(): void {
    const all = [...this.#known.values()];
    const up = all.filter((replica) => replica.up);
    const responding = all.filter((replica) => replica.responds);
    this.#candidates = [up, responding, all].find(({ length }) => length > 0) ?? [];
    if (up.length > 0) this.#reportHanging();
  }

  #reportHanging(): void {
    for (const replica of this.all()) if (replica.hangs) this.#onHang(replica);
  }
}
