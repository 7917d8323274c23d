import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '@agent-fleet/shared/contract/json-object';
import { createDocument } from '@agent-fleet/shared/contract/openapi';
import { SECURITY_SCHEMES } from '@agent-fleet/shared/contract/security-schemes';
import { unavailable } from '@agent-fleet/shared/http/errors';
import { etagOf } from '@agent-fleet/shared/http/etag';
import { INTERNAL_TOKEN_HEADER } from '@agent-fleet/shared/http/internal-access';
import type { Logger } from '@agent-fleet/shared/logger';
import { request } from 'undici';
import { AUTHENTICATION_OPERATIONS, GATEWAY_OPERATIONS, TAGS } from '../contract.ts';
import { UPSTREAM_NAMES, type UpstreamName } from '../routing/routes.ts';
import { gatewayResponses } from './gateway-responses.ts';
import { addResponses, joinDocuments, type Part } from './join.ts';

/** A known document is read again after this time. */
const FRESH_MS = 10_000;
/** A document that could not be read is not asked for again at once. */
const RETRY_MS = 500;
const DEADLINE_MS = 5_000;
/** A reader of the combined document does not wait longer for a service. */
const WAIT_MS = 1_000;

const INFO = {
  title: 'Agent Fleet API',
  version: '1.0.0',
  description:
    'Agents, their tasks, and a registry of skills for them. Get a token from `POST /token` and send it as `Authorization: Bearer …`, ' +
    'or send an API key as `X-API-Key`; the registry is public.',
};
const FIRST = createDocument(INFO.title, [TAGS.authentication], AUTHENTICATION_OPERATIONS) as Part;
const LAST = createDocument(INFO.title, [TAGS.gateway], GATEWAY_OPERATIONS) as Part;
const RESPONSES = { public: gatewayResponses('public'), credentials: gatewayResponses('credentials') };

interface Source {
  name: UpstreamName;
  /** The last good part. */
  part?: Part;
  etag?: string | undefined;
  nextReadAtMs: number;
  /** The last failure that was logged, so that an outage logs one line. */
  reported: string;
  reading?: Promise<void> | undefined;
}

/** The combined document as JSON, and its entity tag. */
interface Combined {
  text: string;
  etag: string;
}

interface DocumentsConfig {
  upstreams: Record<UpstreamName, string>;
  internalToken: string | undefined;
  publicUrl?: { clientPrefix: string } | undefined;
}

/**
 * The combined OpenAPI document of gateway and services. The services' documents are read when somebody asks for it, at
 * most every 10 s. While a service is unavailable, its last document remains. There is no combined document before the
 * first one of each service: it would describe a part of the API only.
 */
export class Documents {
  readonly #config: DocumentsConfig;
  readonly #logger: Logger;
  readonly #sources = UPSTREAM_NAMES.map((name): Source => ({ name, nextReadAtMs: 0, reported: '' }));
  /** Set once every source has a part. */
  #current: Combined | undefined;

  constructor(config: DocumentsConfig, logger: Logger) {
    this.#config = config;
    this.#logger = logger;
  }

  /** @throws 503 `unavailable` until the document of each service was read once */
  async read(): Promise<Combined> {
    const reading = Promise.all(this.#sources.map((source) => this.#refresh(source)));
    await Promise.race([reading, sleep(WAIT_MS, undefined, { ref: false })]);
    const unread = this.#sources.find(({ part }) => !part);
    if (unread) throw unavailable(`The ${unread.name} service has not sent its OpenAPI document yet; try again`);
    return this.#current as Combined;
  }

  /** Reads a document at most once at a time. */
  #refresh(source: Source): Promise<void> | undefined {
    if (!source.reading && performance.now() < source.nextReadAtMs) return undefined;
    source.reading ??= this.#load(source).finally(() => {
      source.reading = undefined;
    });
    return source.reading;
  }

  async #load(source: Source): Promise<void> {
    const { name, etag } = source;
    const { upstreams, internalToken, publicUrl } = this.#config;
    try {
      const read = await readDocument(upstreams[name], etag, internalToken);
      if (read) {
        const part = withGatewayResponses(read.document);
        const parts = this.#sources.flatMap((other) => (other === source ? part : (other.part ?? [])));
        if (parts.length === this.#sources.length) this.#current = combine(parts, publicUrl?.clientPrefix);
        Object.assign(source, { part, etag: read.etag });
      }
      source.reported = '';
      source.nextReadAtMs = performance.now() + FRESH_MS;
    } catch (error) {
      source.nextReadAtMs = performance.now() + RETRY_MS;
      const { message } = error as Error;
      if (source.reported === message) return;
      source.reported = message;
      this.#logger.warn({ reason: message, upstream: name }, 'failed to load the OpenAPI document');
    }
  }
}

/** Puts the services' parts between the gateway's own. @throws Error for a name that two of them use */
function combine(parts: readonly Part[], prefix = ''): Combined {
  const { tags, paths, components } = joinDocuments([FIRST, ...parts, LAST]);
  const text = JSON.stringify({
    openapi: '3.1.0',
    info: INFO,
    servers: [{ url: prefix || '/' }],
    tags,
    paths,
    components: { ...components, securitySchemes: SECURITY_SCHEMES },
  });
  return { text, etag: etagOf(text) };
}

/** Adds the gateway's own responses to each operation of a service. */
function withGatewayResponses(document: Part): Part {
  const items = Object.entries(document.paths ?? {}).map(([path, item]) => {
    const operations = Object.entries(item).map(([method, operation]) => {
      const { security = [] } = operation as { security?: unknown[] };
      return [method, addResponses(operation as JsonObject, RESPONSES[security.length > 0 ? 'credentials' : 'public'])];
    });
    return [path, Object.fromEntries(operations)];
  });
  return { ...document, paths: Object.fromEntries(items) };
}

/**
 * Reads `<url>/openapi.json` and its entity tag; undefined when it still matches `etag`.
 * @throws Error for a status other than 200 or 304, and for invalid JSON
 */
async function readDocument(url: string, etag: string | undefined, internalToken: string | undefined) {
  const { statusCode, headers, body } = await request(`${url}/openapi.json`, {
    headers: {
      accept: 'application/json',
      ...(etag && { 'if-none-match': etag }),
      ...(internalToken && { [INTERNAL_TOKEN_HEADER]: internalToken }),
    },
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  if (statusCode === 200) return { document: (await body.json()) as Part, etag: headers.etag?.toString() };
  await body.dump();
  if (statusCode === 304) return undefined;
  throw new Error(`responded with ${statusCode}`);
}
