import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError } from '@agent-fleet/shared/config';
import { isInternalAddress } from '@agent-fleet/shared/http/internal-addresses';
import type { Logger } from '@agent-fleet/shared/logger';
import pLimit from 'p-limit';
import { unpackDocument } from '../source/document.ts';
import { UpstreamError } from '../source/errors.ts';
import { parseSource, requireFewSources, type Source, withDistinctLabels } from '../source/source.ts';
import { whyNotFollowed } from './exchange.ts';
import { createHttpReader } from './http-reader.ts';
import type { ReadLimits } from './source-reader.ts';
import { MAX_AT_ONCE } from './together.ts';

const MAX_LISTING_BYTES = 1024 * 1024;
/** Web addresses of listings: only these are fetched before the service starts. */
const LISTING_NAME = /[/._-]sources\.json$/i;
/** The beginning of an array of texts. */
const LISTING_START = /^\ufeff?\s*\[\s*"/;
const START_BYTES = 1024;

type WebLocation = Extract<Source['location'], { url: URL }>;

interface Options {
  limits: ReadLimits;
  signal: AbortSignal;
  logger: Logger;
  /** Keeps the last listings of web addresses here. */
  dataDir: string | undefined;
}

/**
 * Replaces each source that is a listing, a JSON array of addresses, by the sources it names; relative addresses are
 * resolved against that of the listing. A local file is a listing if it holds one, a web address only if its name ends
 * in `sources.json`. A listing that cannot be fetched is the last one in `dataDir`.
 * @throws ConfigError for a listing that cannot be read or names a wrong address, and for too many sources
 */
export async function expandSources(sources: readonly Source[], options: Options): Promise<Source[]> {
  const listings = await pLimit(MAX_AT_ONCE).map(sources, (source) => readListing(source, options));
  if (listings.every((addresses) => addresses === undefined)) return [...sources];
  const expanded = sources.flatMap((source, at) => {
    const addresses = listings[at];
    return addresses === undefined ? source : toSources(addresses, source);
  });
  return withDistinctLabels(checked(distinct(expanded)));
}

/** The addresses of a listing; undefined for any other source. */
async function readListing(source: Source, options: Options): Promise<string[] | undefined> {
  const { location } = source;
  if ('file' in location) return readLocalListing(location.file);
  return LISTING_NAME.test(location.url.pathname) ? readWebListing(source, location, options) : undefined;
}

/** A file that cannot be read is reported as a source. */
async function readLocalListing(path: string): Promise<string[] | undefined> {
  try {
    await using file = await open(path);
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > MAX_LISTING_BYTES) return undefined;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(START_BYTES), 0, START_BYTES, 0);
    if (!LISTING_START.test(buffer.toString('utf8', 0, bytesRead))) return undefined;
    return parseListing(await readFile(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Undefined for an array of anything but texts. */
function parseListing(text: string): string[] | undefined {
  if (!LISTING_START.test(text)) return undefined;
  try {
    const listing: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    return Array.isArray(listing) && listing.every((entry) => typeof entry === 'string') ? listing : undefined;
  } catch {
    return undefined;
  }
}

/** The listing as it is now, or the last one. Undefined for another file, of which none was kept. */
async function readWebListing(source: Source, location: WebLocation, options: Options): Promise<string[] | undefined> {
  const { logger, dataDir } = options;
  const file = dataDir && join(dataDir, 'registry', `listing-${source.key}.json`);
  const fetched = await fetchText(location, options);
  const listing = typeof fetched === 'string' ? parseListing(fetched) : undefined;
  if (listing) {
    if (file) await keep(file, fetched as string).catch((err) => logger.warn({ err }, 'failed to keep a listing'));
    return listing;
  }
  const last = file ? await readFile(file, 'utf8').then(parseListing, () => undefined) : undefined;
  if (last) {
    const error = typeof fetched === 'string' ? 'it is not a listing' : fetched;
    logger.warn({ err: error, source: source.label }, 'failed to fetch a listing of sources and used the last one');
  } else if (typeof fetched !== 'string' && fetched.code !== 'too_large') {
    throw refuse(source, `cannot be read (${fetched.code})`);
  }
  return last;
}

async function fetchText(location: WebLocation, { limits, signal }: Options): Promise<string | UpstreamError> {
  const { root, read } = createHttpReader(location, isInternalAddress);
  try {
    const { document } = await read(root, undefined, { ...limits, maxBytes: MAX_LISTING_BYTES }, signal);
    return document ? unpackDocument(document).toString() : '';
  } catch (error) {
    if (error instanceof UpstreamError) return error;
    throw error;
  }
}

async function keep(path: string, text: string): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true });
  const draft = `${path}.${randomUUID()}.tmp`;
  await writeFile(draft, text);
  await rename(draft, path);
}

function toSources(addresses: readonly string[], listing: Source): Source[] {
  requireFew(addresses.length);
  const { location } = listing;
  const base = 'file' in location ? pathToFileURL(location.file) : location.url;
  return addresses.map((address, at) => {
    const url = URL.parse(address, base);
    // The message never repeats an address: it may hold credentials.
    if (url === null) throw refuse(listing, `names an invalid address at ${at}`);
    const isLocal = base.protocol === 'file:';
    const why = isLocal ? undefined : whyNotFollowed(base, url);
    if (why) throw refuse(listing, `refers ${why} at ${at}`);
    return toSource(url, isLocal || url.origin === base.origin, () =>
      refuse(listing, `names an invalid address at ${at}`),
    );
  });
}

/** Only the origin of the listing is one that the operator has named. */
function toSource(url: URL, mayBeInternal: boolean, toError: () => ConfigError): Source {
  try {
    const source = parseSource(url.href);
    return 'url' in source.location ? { ...source, location: { ...source.location, mayBeInternal } } : source;
  } catch {
    throw toError();
  }
}

function distinct(sources: readonly Source[]): Source[] {
  const byLocation = new Map<string, Source>();
  for (const source of sources) {
    const { location } = source;
    const name = 'file' in location ? location.file : location.url.href;
    if (!byLocation.has(name)) byLocation.set(name, source);
  }
  return [...byLocation.values()];
}

function checked(sources: Source[]): Source[] {
  if (sources.length === 0) throw new ConfigError('REGISTRY_SOURCE_URL: the listings name no source');
  requireFew(sources.length);
  return sources;
}

function requireFew(count: number): void {
  try {
    requireFewSources(count);
  } catch (error) {
    throw new ConfigError(`REGISTRY_SOURCE_URL: ${error instanceof Error ? error.message : error}`);
  }
}

function refuse({ label }: Source, why: string): ConfigError {
  return new ConfigError(`REGISTRY_SOURCE_URL: the listing ${label} ${why}`);
}
