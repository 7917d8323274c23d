import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { etagOf } from '@agent-fleet/shared/http/etag';
import type { Logger } from '@agent-fleet/shared/logger';
import type { PathMethods } from '../routing/route-table.ts';
import { requireBounded } from './document-limits.ts';
import { fetchDocument } from './fetch-document.ts';
import type { JsonObject } from './json-object.ts';
import { mergeDocuments, readPaths } from './merge.ts';
import type { Part } from './part.ts';
import { MergeError } from './references.ts';

const DEFAULT_REFRESH_MS = 10_000;
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 5_000;

/** A service with an OpenAPI document. */
export interface DocumentSource extends Omit<Part, 'document'> {
  url: string;
}

export interface DocumentsOptions {
  base: JsonObject;
  /** The gateway's own parts, before and after the services'. */
  first: Part;
  last: Part;
  sources: readonly DocumentSource[];
  internalToken: string | undefined;
  logger: Logger;
  /** How often a document is fetched again. Default: 10,000. */
  refreshMs?: number;
  /** Called when the paths of a service change. */
  onPaths(source: string, paths: PathMethods[]): void;
}

/**
 * Keeps the combined OpenAPI document. Each service's document is fetched at start, then at most twice a second until
 * it responds, then every 10 s. While a service is unavailable or its document is rejected, its last good part remains.
 */
export class Documents {
  readonly #options: DocumentsOptions;
  readonly #sources: SourceState[];
  readonly #stop = new AbortController();
  #current: { text: string; etag: string };

  constructor(options: DocumentsOptions) {
    this.#options = options;
    this.#current = toText(mergeDocuments(options.base, [options.first, options.last]));
    this.#sources = options.sources.map((source) => ({ source, reported: '', loop: Promise.resolve() }));
    for (const state of this.#sources) state.loop = this.#poll(state);
  }

  /** The current combined document. */
  get current(): { text: string; etag: string } {
    return this.#current;
  }

  /** Fetches the documents that are still missing; never rejects. */
  async refreshMissing(): Promise<void> {
    await Promise.all(this.#sources.filter(({ part }) => !part).map((state) => this.#refresh(state)));
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#sources.map(({ loop }) => loop));
  }

  async #poll(state: SourceState): Promise<void> {
    const { signal } = this.#stop;
    const { refreshMs = DEFAULT_REFRESH_MS } = this.#options;
    for (let retryMs = FIRST_RETRY_MS; !signal.aborted; retryMs = Math.min(retryMs * 1.2, MAX_RETRY_MS)) {
      await this.#refresh(state);
      await sleep(state.part ? refreshMs : retryMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Runs one fetch at a time for each service. */
  async #refresh(state: SourceState): Promise<void> {
    state.running ??= this.#fetch(state).finally(() => {
      state.running = undefined;
    });
    await state.running;
  }

  async #fetch(state: SourceState): Promise<void> {
    const { source, etag } = state;
    const { internalToken, logger } = this.#options;
    try {
      const fetched = await fetchDocument(source.url, etag, internalToken, this.#stop.signal);
      if (fetched) this.#accept(state, fetched.document);
      if (fetched) state.etag = fetched.etag;
      state.reported = '';
    } catch (error) {
      const { message } = error as Error;
      if (state.reported === message || this.#stop.signal.aborted) return;
      state.reported = message;
      // A service that starts after the gateway is not a fault.
      const level = state.part || error instanceof MergeError ? 'warn' : 'info';
      logger[level]({ reason: message, upstream: source.name }, 'OpenAPI document rejected');
    }
  }

  #accept(state: SourceState, document: unknown): void {
    requireBounded(state.source.name, document);
    if (isDeepStrictEqual(state.part?.document, document)) return;
    const { base, first, last, logger, onPaths } = this.#options;
    const part: Part = { ...state.source, document };
    const paths = readPaths(part);
    if (paths.length === 0) throw new MergeError('has none of the paths of this service');
    const parts = this.#sources.flatMap((other) => (other === state ? part : (other.part ?? [])));
    this.#current = toText(mergeDocuments(base, [first, ...parts, last]));
    state.part = part;
    onPaths(part.name, paths);
    logger.info({ upstream: part.name, paths: paths.length }, 'OpenAPI document accepted');
  }
}

interface SourceState {
  source: DocumentSource;
  /** The last good part. */
  part?: Part;
  etag?: string | undefined;
  /** The last failure that was logged, so that an outage logs one line. */
  reported: string;
  running?: Promise<void> | undefined;
  loop: Promise<void>;
}

function toText(document: JsonObject): { text: string; etag: string } {
  const text = JSON.stringify(document);
  return { text, etag: etagOf(text) };
}
