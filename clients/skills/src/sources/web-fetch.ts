import { MAX_BYTES } from '../content/entries.ts';
import { SkillError } from '../skill-error.ts';
import { isLoopback, requireSafeUrl } from './skill-source.ts';

const DEADLINE_MS = 30_000;
const MAX_REDIRECTS = 5;

export interface FetchOptions {
  fetch: typeof fetch;
  signal?: AbortSignal;
  headers?: Record<string, string>;
  /** Origin of the registry, which the user has chosen, http or not. */
  trustedOrigin?: string;
  /** Default 25 MiB. */
  maxBytes?: number;
  /** Default 5. */
  maxRedirects?: number;
}

/** A file as it was received. */
export interface FetchedFile {
  bytes: Buffer;
  headers: Headers;
}

/** The host did not send the file; `status` is undefined if it did not respond at all. */
export class FetchError extends SkillError {
  readonly status: number | undefined;

  constructor(url: string, status: number | undefined, reason: string, cause?: unknown) {
    super(`Cannot fetch ${url}: ${reason}`, 'Check the address and your connection, and try again.', 'failed', cause);
    this.status = status;
  }
}

/** The bytes that `fetchFile` fetches. @throws SkillError, mostly a `FetchError` */
export async function fetchBytes(address: string, options: FetchOptions): Promise<Buffer> {
  return (await fetchFile(address, options)).bytes;
}

/**
 * Fetches a file by https, or by http from this machine; redirects must be the same.
 * @throws SkillError, mostly a `FetchError`
 */
export async function fetchFile(address: string, options: FetchOptions): Promise<FetchedFile> {
  const { maxBytes = MAX_BYTES, maxRedirects = MAX_REDIRECTS, headers } = options;
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  const signal = options.signal ? AbortSignal.any([options.signal, deadline]) : deadline;
  let url = new URL(address);
  const first = url;
  try {
    for (let redirects = 0; redirects <= maxRedirects; redirects++) {
      if (url.origin !== options.trustedOrigin) requireSafeUrl(url);
      const response = await options.fetch(url, { redirect: 'manual', signal, headers });
      const location = response.headers.get('location');
      if (response.status >= 300 && response.status < 400 && location !== null) {
        await response.body?.cancel();
        url = requireNoDowngrade(url, new URL(location, url));
        continue;
      }
      if (response.status !== 200) {
        await response.body?.cancel();
        throw new FetchError(first.href, response.status, `status ${response.status}`);
      }
      return { bytes: await readBody(response, first.href, maxBytes), headers: response.headers };
    }
  } catch (error) {
    options.signal?.throwIfAborted();
    if (error instanceof SkillError) throw error;
    const reason = deadline.aborted ? `no response in ${DEADLINE_MS / 1_000} s` : 'no connection';
    throw new FetchError(first.href, undefined, reason, error);
  }
  throw new FetchError(first.href, undefined, 'too many redirects');
}

/**
 * A page from elsewhere must not name addresses of this machine.
 * @throws SkillError
 */
export function requireNoDowngrade(from: URL, to: URL): URL {
  if (from.origin !== to.origin && to.protocol !== 'https:' && !isLoopback(from)) {
    throw new FetchError(from.href, undefined, `it leads to ${to.protocol}//${to.host}, which is not https`);
  }
  return to;
}

async function readBody(response: Response, address: string, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > maxBytes) throw new FetchError(address, 200, `it is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
