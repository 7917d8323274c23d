import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ProxyError } from './provider-errors.ts';

const DECODERS = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** The body of a response, also of a server that compresses it unasked. @throws ProxyError `unreachable` */
export function decoded(response: IncomingMessage): Readable {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity') return response;
  const decoder = DECODERS.get(encoding)?.();
  if (decoder !== undefined) return pipeline(response, decoder, () => {});
  response.destroy();
  throw new ProxyError('unreachable', `The provider's response is in an unknown encoding: ${encoding.slice(0, 40)}`);
}
