import { createGunzip } from 'node:zlib';
import { validationError } from '@agent-fleet/shared/http/errors';
import type { SourceDocument } from '../../source/source-files.ts';
import { CodedBody } from './coded-body.ts';

const CHUNK_BYTES = 64 * 1024;
/** Files up to this size are kept uncompressed once a client has requested them so. */
const MAX_KEPT_BYTES = 1024 * 1024;
/** Files up to this size are also compressed in br. */
const MAX_BR_BYTES = 8 * 1024 * 1024;

/** A file as fetched from upstream, stored in gzip. */
export function createRawFile({ digest, bytes, packed }: SourceDocument): CodedBody {
  const gzip = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  return new CodedBody({
    digest: () => digest.slice(0, 32),
    read: () => createGunzip({ chunkSize: CHUNK_BYTES }).end(gzip),
    length: () => bytes,
    level: 'small',
    isKept: bytes <= MAX_KEPT_BYTES,
    hasBr: bytes <= MAX_BR_BYTES,
    gzip,
  });
}

/** The file of the source with this label, or of the first source. @throws 400 for an unknown label */
export function chooseFile(files: ReadonlyMap<string, CodedBody>, source: string | undefined): [string, CodedBody] {
  const found = [...files].find(([label]) => source === undefined || source === label);
  if (found) return found;
  const known = [...files.keys()].join(', ');
  throw validationError([{ path: 'source', code: 'invalid_value', message: `must be one of ${known}` }]);
}
