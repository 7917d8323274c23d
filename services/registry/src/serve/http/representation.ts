import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { EncodedBody } from '../../build/built-snapshot.ts';
import type { SourceDocument } from '../../source/source-files.ts';
import { type Coding, encode } from './encoding.ts';

/** One body in one content coding. */
export interface Variant {
  /** May be replaced by another encoding of the same content. */
  body: Buffer;
  readonly etag: string;
}

/** A body in every content coding, encoded once. Serves the given bytes without a copy. */
export class Representation implements Record<Coding, Variant> {
  readonly digest: string;
  readonly identity: Variant;
  readonly gzip: Variant;
  readonly br: Variant;

  constructor({ digest, identity, gzip, br }: EncodedBody) {
    this.digest = digest;
    this.identity = { body: toBuffer(identity), etag: etagFor(digest, 'identity') };
    this.gzip = { body: toBuffer(gzip), etag: etagFor(digest, 'gzip') };
    this.br = { body: toBuffer(br), etag: etagFor(digest, 'br') };
  }

  /** Replaces br by a smaller encoding. The ETag stays: ranges are not served, so clients cannot mix parts of both. */
  setBest(br: Uint8Array): void {
    this.br.body = toBuffer(br);
  }
}

/** For a small body built on the main thread. */
export async function encodeRepresentation(identity: Buffer): Promise<Representation> {
  const [gzip, br] = await Promise.all([encode(identity, 'gzip'), encode(identity, 'br')]);
  return new Representation({ digest: digestOf(identity), identity, gzip, br });
}

/** Files up to this size are kept uncompressed once a client has requested them so. */
const MAX_KEPT_BYTES = 1024 * 1024;

const unpack = promisify(gunzip);

/** A file as fetched from upstream, stored in gzip. */
export class RawFile {
  readonly gzip: Buffer;
  readonly br: Buffer | undefined;
  /** Of the uncompressed file. */
  readonly bytes: number;
  readonly #digest: string;
  #unpacked: Promise<Buffer> | undefined;

  constructor({ digest, bytes, packed }: SourceDocument, br?: Uint8Array) {
    this.#digest = digest.slice(0, 32);
    this.bytes = bytes;
    this.gzip = toBuffer(packed);
    this.br = br && toBuffer(br);
  }

  etagFor(coding: Coding): string {
    return etagFor(this.#digest, coding);
  }

  /** The uncompressed file; undefined over 1 MiB, which has to be streamed. */
  unpacked(): Promise<Buffer> | undefined {
    if (this.bytes > MAX_KEPT_BYTES) return undefined;
    this.#unpacked ??= unpack(this.gzip, { maxOutputLength: MAX_KEPT_BYTES }).catch((error: unknown) => {
      this.#unpacked = undefined;
      throw error;
    });
    return this.#unpacked;
  }
}

export function digestOf(body: Buffer | string): string {
  return hash('sha256', body).slice(0, 32);
}

/** Strong, so the same content in another coding has another tag (RFC 9110 section 8.8.3.3). */
export function etagFor(digest: string, coding: Coding): string {
  return coding === 'identity' ? `"${digest}"` : `"${digest}-${coding}"`;
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
