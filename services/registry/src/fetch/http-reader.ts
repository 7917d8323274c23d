import type { Headers } from 'node-fetch';
import { UpstreamError } from '../source/errors.ts';
import { withDeadline } from './deadline.ts';
import { exchange, type UpstreamResponse, whyNotFollowed } from './exchange.ts';
import { toFreshForMs } from './freshness.ts';
import { readResponse } from './response-body.ts';
import type { ReadFile, SourceReader, Validator } from './source-reader.ts';

/** The URL of a source; by default it may have an internal address, as the operator has configured it. */
interface Location {
  url: URL;
  mayBeInternal?: boolean;
}

/** Reads over HTTP. A file may refer to an internal address only if it has one itself, on the same origin. */
export function createHttpReader(
  { url: source, mayBeInternal = true }: Location,
  isInternal: (address: string) => boolean,
): SourceReader {
  return {
    root: { url: source, mayBeInternal },

    read: (location, known, limits, signal) =>
      withDeadline(limits.deadlineMs, signal, async (within) => {
        const request = { credentials: source, conditions: toConditions(known), isInternal };
        const received = await exchange({ ...location, ...request }, within);
        if (received.status === 304) return toReadFile(received, undefined, known);
        return toReadFile(received, await readResponse(received.response, limits.maxBytes, within), undefined);
      }),

    resolve(reference, from) {
      const url = URL.parse(reference, from.url);
      if (url === null) throw new UpstreamError('bad_manifest', 'A file refers to an invalid URL');
      const why = whyNotFollowed(from.url, url);
      if (why) throw new UpstreamError('bad_manifest', `${from.url.host} refers ${why}`);
      return { url, mayBeInternal: from.mayBeInternal && url.origin === from.url.origin };
    },
  };
}

function toReadFile(
  { response: { headers }, url, isInternal }: UpstreamResponse,
  document: ReadFile['document'],
  known: Validator | undefined,
): ReadFile {
  return {
    document,
    validator: toValidator(headers, known),
    location: { url, mayBeInternal: isInternal },
    freshForMs: toFreshForMs(headers),
    isHtml: /^\s*text\/html\b/i.test(headers.get('content-type') ?? ''),
  };
}

/** A 304 may omit the validators of the request. */
function toValidator(headers: Headers, known: Validator | undefined): Validator {
  return {
    etag: headers.get('etag') ?? known?.etag ?? null,
    lastModified: headers.get('last-modified') ?? known?.lastModified ?? null,
  };
}

function toConditions(known: Validator | undefined): Record<string, string> {
  return {
    ...(known?.etag && { 'if-none-match': known.etag }),
    ...(known?.lastModified && { 'if-modified-since': known.lastModified }),
  };
}
