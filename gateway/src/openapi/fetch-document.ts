import { INTERNAL_TOKEN_HEADER } from '@agent-fleet/shared/http/internal-access';
import { request } from 'undici';
import { MergeError } from './references.ts';

const DEADLINE_MS = 5_000;
const MAX_BYTES = 1024 * 1024;

/**
 * Reads `<url>/openapi.json` within 5 s, at most 1 MiB, and its entity tag; undefined when it still matches `etag`.
 * @throws Error for a status other than 200 or 304, and for invalid JSON
 */
export async function fetchDocument(
  url: string,
  etag: string | undefined,
  internalToken: string | undefined,
  signal: AbortSignal,
): Promise<{ document: unknown; etag: string | undefined } | undefined> {
  const { statusCode, headers, body } = await request(`${url}/openapi.json`, {
    headers: {
      accept: 'application/json',
      ...(etag && { 'if-none-match': etag }),
      ...(internalToken && { [INTERNAL_TOKEN_HEADER]: internalToken }),
    },
    signal: AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]),
  });
  if (statusCode !== 200) await body.dump();
  if (statusCode === 304 && etag !== undefined) return undefined;
  if (statusCode !== 200) throw new Error(`responded with ${statusCode}`);
  const text = await readText(body);
  return { document: parse(text), etag: headers.etag?.toString() };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new MergeError('is not JSON', { cause: error });
  }
}

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new MergeError(`is larger than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
