import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import type { Response } from 'node-fetch';
import { UpstreamError } from './errors.ts';
import { abandon } from './exchange.ts';

/**
 * A response's body, decompressed. Counted as it comes, before and after decompression, so that nothing larger than `maxBytes` is ever held.
 * @throws UpstreamError `too_large`, `truncated`, `not_json` for a coding that is not spoken
 */
export async function readResponse(response: Response, maxBytes: number, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const collect = async (body: AsyncIterable<Buffer>) => {
    for await (const chunk of body) chunks.push(chunk);
  };
  const body = response.body as Readable | null;
  if (body === null) return Buffer.alloc(0);
  try {
    const decoder = createDecoder(response.headers.get('content-encoding'));
    if (decoder === undefined) await pipeline(body, bounded(maxBytes), collect, { signal });
    else await pipeline(body, bounded(maxBytes), decoder, bounded(maxBytes), collect, { signal });
  } catch (error) {
    abandon(response);
    if (signal.aborted || error instanceof UpstreamError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new UpstreamError('truncated', `The answer broke off or is damaged${code ? ` (${code})` : ''}`, error);
  }
  return Buffer.concat(chunks);
}

function bounded(maxBytes: number) {
  return async function* (chunks: AsyncIterable<Buffer>) {
    let bytes = 0;
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new UpstreamError('too_large', `The answer is larger than ${maxBytes} bytes`);
      yield chunk;
    }
  };
}

/** Strict: a compressed body that breaks off is an error. */
function createDecoder(coding: string | null) {
  if (coding === null || coding === '' || coding === 'identity') return undefined;
  if (coding === 'gzip' || coding === 'x-gzip') return createGunzip();
  if (coding === 'br') return createBrotliDecompress();
  throw new UpstreamError('not_json', 'The answer comes in a content coding that was not asked for');
}
