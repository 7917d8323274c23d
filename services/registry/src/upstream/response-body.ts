import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import type { Response } from 'node-fetch';
import type { SourceDocument } from '../building/build-input.ts';
import { packDocument, packStream } from './document.ts';
import { UpstreamError } from './errors.ts';
import { abandon } from './exchange.ts';

/** Of what a decoder gives at a time. */
const CHUNK_BYTES = 64 * 1024;

/**
 * A response's body, decompressed and packed anew. Counted as it comes, before and after decompression, so that nothing larger than `maxBytes`
 * is ever held.
 * @throws UpstreamError `too_large`, `truncated`, `not_json` for a coding that is not spoken
 */
export async function readResponse(response: Response, maxBytes: number, signal: AbortSignal): Promise<SourceDocument> {
  const body = response.body as Readable | null;
  if (body === null) return packDocument(Buffer.alloc(0));
  try {
    const decoder = createDecoder(response.headers.get('content-encoding'));
    return await packStream(body, maxBytes, signal, decoder);
  } catch (error) {
    abandon(response);
    if (signal.aborted || error instanceof UpstreamError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    // Without the cause: node-fetch puts the whole address into its message.
    throw new UpstreamError('truncated', `The answer broke off or is damaged${code ? ` (${code})` : ''}`);
  }
}

/** Strict: a compressed body that breaks off is an error. */
function createDecoder(coding: string | null) {
  const name = coding?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity') return undefined;
  if (name === 'gzip' || name === 'x-gzip') return createGunzip({ chunkSize: CHUNK_BYTES });
  if (name === 'br') return createBrotliDecompress({ chunkSize: CHUNK_BYTES });
  throw new UpstreamError('not_json', 'The answer comes in a content coding that was not asked for');
}
