import type { Readable } from 'node:stream';
import { createBrotliDecompress } from 'node:zlib';
import type { Response } from 'node-fetch';
import { keepGzip, packDocument, packStream, type SourceDocument } from '../source/document.ts';
import { UpstreamError } from '../source/errors.ts';
import { abandon } from './exchange.ts';

/** Chunk size of the decoder. */
const CHUNK_BYTES = 64 * 1024;

/**
 * Reads a response body into a compressed document. Sizes are checked while reading, before and after decompression, so
 * that memory stays bounded by `maxBytes`. An incomplete compressed body is an error.
 * @throws UpstreamError `too_large`, `truncated`, `not_json` for an unsupported coding
 */
export async function readResponse(response: Response, maxBytes: number, signal: AbortSignal): Promise<SourceDocument> {
  const body = response.body as Readable | null;
  if (body === null) return packDocument(Buffer.alloc(0));
  try {
    const coding = response.headers.get('content-encoding')?.trim().toLowerCase() ?? '';
    if (coding === 'gzip' || coding === 'x-gzip') return await keepGzip(body, maxBytes, signal);
    return await packStream(body, maxBytes, signal, createDecoder(coding));
  } catch (error) {
    abandon(response);
    if (signal.aborted || error instanceof UpstreamError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    // Without the cause: node-fetch puts the whole URL into its message.
    throw new UpstreamError('truncated', `The response is incomplete or corrupt${code ? ` (${code})` : ''}`);
  }
}

function createDecoder(coding: string) {
  if (coding === '' || coding === 'identity') return undefined;
  if (coding === 'br') return createBrotliDecompress({ chunkSize: CHUNK_BYTES });
  throw new UpstreamError('not_json', 'The response has a content coding that was not requested');
}
