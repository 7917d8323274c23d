import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { etagOf } from '@agent-fleet/shared/http/etag';
import type { Logger } from '@agent-fleet/shared/logger';
import type { PathMethods } from '../routing/route-table.ts';
import { requireBounded } from './document-limits.ts';
import { fetchDocument } from './fetch-document.ts';
import type { JsonObject } from './json-object.ts';
import { mergeDocuments, type Part, readPaths } from './merge.ts';
import { MergeError } from './references.ts';

const DEFAULT_REFRESH_MS = 10_000;
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 5_000;

/** A service whose document is a part of the combined one. */
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
  /** How often a known document is read again. Default: 10,000. */
  refreshMs?: number;
  /** Told each time that a service's paths are known anew. */
  onPaths(source: string, paths: PathMethods[]): void;
}

/**
 * Keeps the combined OpenAPI document: each service is asked at start, twice a second or less until it answers, then every 10 s. A
 * service that is away, or whose document cannot be taken, keeps its last good part.
 */
export class Documents {
  readonly #options: DocumentsOptions;
  readonly #followed: Followed[];
  readonly #stop = new AbortController();
  #current: { text: string; etag: string };

  constructor(options: DocumentsOptions) {
    this.#options = options;
    this.#current = toText(mergeDocuments(options.base, [options.first, options.last]));
    this.#followed = options.sources.map((source) => ({ source, reported: '', loop: Promise.resolve() }));
    for (const followed of this.#followed) followed.loop = this.#follow(followed);
  }

  /** The combined document as it stands. */
  get current(): { text: string; etag: string } {
    return this.#current;
  }

  /** Asks now whoever has not been heard of yet, and waits for the answers; never rejects. */
  async refreshMissing(): Promise<void> {
    await Promise.all(this.#followed.filter(({ part }) => !part).map((followed) => this.#refresh(followed)));
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#followed.map(({ loop }) => loop));
  }

  async #follow(followed: Followed): Promise<void> {
    const { signal } = this.#stop;
    const { refreshMs = DEFAULT_REFRESH_MS } = this.#options;
    for (let retryMs = FIRST_RETRY_MS; !signal.aborted; retryMs = Math.min(retryMs * 1.2, MAX_RETRY_MS)) {
      await this.#refresh(followed);
      await sleep(followed.part ? refreshMs : retryMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** One at a time for each service. */
  async #refresh(followed: Followed): Promise<void> {
    followed.running ??= this.#ask(followed).finally(() => {
      followed.running = undefined;
    });
    await followed.running;
  }

  async #ask(followed: Followed): Promise<void> {
    const { source, etag } = followed;
    const { internalToken, logger } = this.#options;
    try {
      const fetched = await fetchDocument(source.url, etag, internalToken, this.#stop.signal);
      if (fetched) this.#take(followed, fetched.document);
      if (fetched) followed.etag = fetched.etag;
      followed.reported = '';
    } catch (error) {
      const { message } = error as Error;
      if (followed.reported === message || this.#stop.signal.aborted) return;
      followed.reported = message;
      // A service that comes up after the gateway is no fault.
      const level = followed.part || error instanceof MergeError ? 'warn' : 'info';
      logger[level]({ reason: message, upstream: source.name }, 'interface description not taken');
    }
  }

  #take(followed: Followed, document: unknown): void {
    requireBounded(followed.source.name, document);
    if (isDeepStrictEqual(followed.part?.document, document)) return;
    const { base, first, last, logger, onPaths } = this.#options;
    const part: Part = { ...followed.source, document };
    const paths = readPaths(part);
    if (paths.length === 0) throw new MergeError('has none of the paths of this service');
    const parts = this.#followed.flatMap((other) => (other === followed ? part : (other.part ?? [])));
    this.#current = toText(mergeDocuments(base, [first, ...parts, last]));
    followed.part = part;
    onPaths(part.name, paths);
    logger.info({ upstream: part.name, paths: paths.length }, 'interface description taken');
  }
}

interface Followed {
  source: DocumentSource;
  /** The last good part. */
  part?: Part;
  etag?: string | undefined;
  /** The last failure that was logged, so that an outage is one line. */
  reported: string;
  running?: Promise<void> | undefined;
  loop: Promise<void>;
}

function toText(document: JsonObject): { text: string; etag: string } {
  const text = JSON.stringify(document);
  return { text, etag: etagOf(text) };
}
