import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { etagOf } from '@agent-fleet/shared/http/etag';
import type { Logger } from '@agent-fleet/shared/logger';
import type { GatewayConfig } from '../config.ts';
import type { RouteTable } from '../routing/route-table.ts';
import { UPSTREAM_NAMES, type UpstreamName } from '../routing/routes.ts';
import { combineDocuments, toServicePart } from './combined-document.ts';
import { requireBounded } from './document-limits.ts';
import { fetchDocument } from './fetch-document.ts';
import type { Part } from './part.ts';
import { readPathItems } from './path-items.ts';
import { MergeError } from './references.ts';

const DEFAULT_REFRESH_MS = 10_000;
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 5_000;

interface Source {
  name: UpstreamName;
  /** The last good part. */
  part?: Part;
  etag?: string | undefined;
  /** The last failure that was logged, so that an outage logs one line. */
  reported: string;
  running?: Promise<void> | undefined;
}

/**
 * Keeps the combined OpenAPI document of gateway and services, and updates the route table with each service's paths.
 * Each service's document is fetched at start, then at most twice a second until it responds, then every 10 s. While a
 * service is unavailable or its document is rejected, its last good part remains.
 */
export class Documents {
  readonly #config: Pick<GatewayConfig, 'upstreams' | 'internalToken'>;
  readonly #routes: RouteTable;
  readonly #logger: Logger;
  readonly #refreshMs: number;
  readonly #sources = UPSTREAM_NAMES.map((name): Source => ({ name, reported: '' }));
  readonly #stop = new AbortController();
  readonly #polling: Promise<unknown>;
  #current = combine([]);

  constructor(config: GatewayConfig, routes: RouteTable, logger: Logger, refreshMs = DEFAULT_REFRESH_MS) {
    this.#config = config;
    this.#routes = routes;
    this.#logger = logger;
    this.#refreshMs = refreshMs;
    this.#polling = Promise.all(this.#sources.map((source) => this.#poll(source)));
  }

  /** The current combined document. */
  get current(): { text: string; etag: string } {
    return this.#current;
  }

  /** Fetches the documents that are still missing; never rejects. */
  async refreshMissing(): Promise<void> {
    await Promise.all(this.#sources.filter(({ part }) => !part).map((source) => this.#refresh(source)));
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#polling;
  }

  async #poll(source: Source): Promise<void> {
    const { signal } = this.#stop;
    for (let retryMs = FIRST_RETRY_MS; !signal.aborted; retryMs = Math.min(retryMs * 1.2, MAX_RETRY_MS)) {
      await this.#refresh(source);
      await sleep(source.part ? this.#refreshMs : retryMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Runs one fetch at a time for each service. */
  async #refresh(source: Source): Promise<void> {
    source.running ??= this.#fetch(source).finally(() => {
      source.running = undefined;
    });
    await source.running;
  }

  async #fetch(source: Source): Promise<void> {
    const { name, etag } = source;
    const { upstreams, internalToken } = this.#config;
    try {
      const fetched = await fetchDocument(upstreams[name], etag, internalToken, this.#stop.signal);
      if (fetched) this.#accept(source, fetched.document);
      if (fetched) source.etag = fetched.etag;
      source.reported = '';
    } catch (error) {
      const { message } = error as Error;
      if (source.reported === message || this.#stop.signal.aborted) return;
      source.reported = message;
      // A service that starts after the gateway is not a fault.
      const level = source.part || error instanceof MergeError ? 'warn' : 'info';
      this.#logger[level]({ reason: message, upstream: name }, 'failed to load the OpenAPI document');
    }
  }

  #accept(source: Source, document: unknown): void {
    const { name } = source;
    requireBounded(name, document);
    if (isDeepStrictEqual(source.part?.document, document)) return;
    const part = toServicePart(name, document, this.#routes);
    const paths = readPathItems(part);
    if (paths.length === 0) throw new MergeError('has none of the paths of this service');
    this.#current = combine(this.#sources.flatMap((other) => (other === source ? part : (other.part ?? []))));
    source.part = part;
    this.#routes.setPaths(name, paths);
    this.#logger.info({ upstream: name, paths: paths.length }, 'OpenAPI document accepted');
  }
}

function combine(parts: readonly Part[]): { text: string; etag: string } {
  const text = JSON.stringify(combineDocuments(parts));
  return { text, etag: etagOf(text) };
}
