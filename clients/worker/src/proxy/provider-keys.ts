import type { Provider } from '../runtimes/runtime.ts';

/** The address of a provider, and a key of the worker. */
export interface Upstream {
  baseUrl: string;
  key: string;
}

export type Upstreams = Partial<Record<Provider, readonly Upstream[]>>;

/** The keys of the worker by provider, and until when a provider takes no calls with each, in ms since 1970. */
export class ProviderKeys {
  readonly #upstreams: Upstreams;
  readonly #limits = new Map<Upstream, number>();

  constructor(upstreams: Upstreams) {
    this.#upstreams = upstreams;
  }

  /** The first key that is not limited, else the one that is free first; undefined without any. */
  pick(provider: Provider): Upstream | undefined {
    const keys = this.#upstreams[provider] ?? [];
    return keys.toSorted((one, other) => this.#limitOf(one) - this.#limitOf(other))[0];
  }

  /** Returns whether the provider takes calls with another key. */
  limit(provider: Provider, upstream: Upstream, until: number): boolean {
    this.#limits.set(upstream, until);
    return this.limitedUntil(provider) === undefined;
  }

  /** When calls are taken again; undefined if they are now. */
  limitedUntil(provider: Provider): number | undefined {
    const next = this.pick(provider);
    return (next && this.#limitOf(next)) || undefined;
  }

  /** What a lease request says of it. */
  pauses(): { provider: Provider; until: string; reason: string }[] {
    return (Object.keys(this.#upstreams) as Provider[]).flatMap((provider) => {
      const until = this.limitedUntil(provider);
      return until === undefined ? [] : [{ provider, until: new Date(until).toISOString(), reason: 'rate limit' }];
    });
  }

  #limitOf(upstream: Upstream): number {
    const until = this.#limits.get(upstream) ?? 0;
    return until > Date.now() ? until : 0;
  }
}
