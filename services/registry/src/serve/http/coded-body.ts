import type { IncomingMessage } from 'node:http';
import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { toSharedBytes } from '../../memory/arrays.ts';
import type { SourceDocument } from '../../source/document.ts';
import { type Coding, createEncoder, type EncodedBody, type EncoderLevel, negotiateCoding } from './encoding.ts';
import { digestOf } from './validators.ts';

/** The body of a response, whose digest is known before it is made. */
export interface Body {
  /** 32 hexadecimal digits that change with the content. */
  digest(): string | Promise<string>;
  /** Default: the coding that the client prefers. */
  negotiate?(req: IncomingMessage): Coding;
  /** In memory, in this coding or uncompressed. Undefined if it is streamed. */
  whole(coding: Coding): EncodedBody | Promise<EncodedBody> | undefined;
  stream?(coding: Coding): { source: Readable | AsyncIterable<Buffer>; transform?: Transform };
  /** The length if it is known without making the body. If there is this method, HEAD makes none. */
  length?(coding: Coding): Promise<number | undefined>;
}

/** The content of a body before it is coded. */
export interface Content {
  /** 32 hexadecimal digits that change with the content. */
  digest(): string | Promise<string>;
  /** The bytes in pieces, from the beginning at each call. Yields to the event loop if they take long to make. */
  read(): Readable | Iterable<Buffer> | AsyncIterable<Buffer>;
  /** The number of bytes; missing if it is not known before they are made. */
  length?(): number | Promise<number>;
  level: EncoderLevel;
  /** Whether the uncompressed body is kept as well. If not, it is made and streamed for each request. */
  isKept: boolean;
  /** Default: true. */
  hasBr?: boolean;
  /** If the content is stored in gzip. */
  gzip?: Buffer;
}

/** A body that is made in each coding at the first demand, on zlib's threads, and kept. Requests share the work. */
export class CodedBody implements Body {
  readonly #content: Content;
  readonly #made = new Map<Coding, Promise<Buffer>>();
  #length: Promise<number> | undefined;

  constructor(content: Content) {
    this.#content = content;
    if (content.gzip) this.#made.set('gzip', Promise.resolve(content.gzip));
  }

  digest(): string | Promise<string> {
    return this.#content.digest();
  }

  negotiate(req: IncomingMessage): Coding {
    return negotiateCoding(req, this.#content.hasBr);
  }

  /** Undefined for an uncompressed body that is not kept. It costs a cache entry nothing, as it is kept here. */
  whole(coding: Coding): Promise<EncodedBody> | undefined {
    if (coding === 'identity' && !this.#content.isKept) return undefined;
    const made = this.#made.get(coding) ?? this.#keep(coding);
    return made.then((body) => ({ body, coding, bytes: 0 }));
  }

  stream(): { source: Readable } {
    return { source: this.#read() };
  }

  /** The length in a coding if it is known without making the body. */
  async length(coding: Coding): Promise<number | undefined> {
    const made = this.#made.get(coding);
    if (made) return (await made).length;
    if (coding !== 'identity' || !this.#content.length) return undefined;
    this.#length ??= Promise.resolve(this.#content.length());
    return this.#length;
  }

  #read(): Readable {
    const content = this.#content.read();
    return content instanceof Readable ? content : Readable.from(content, { objectMode: false });
  }

  /** One that fails is made again at the next demand. */
  #keep(coding: Coding): Promise<Buffer> {
    const making = this.#make(coding);
    this.#made.set(coding, making);
    making.catch(() => this.#made.delete(coding));
    return making;
  }

  async #make(coding: Coding): Promise<Buffer> {
    const chunks: Buffer[] = [];
    const keep = async (stream: AsyncIterable<Buffer>) => {
      for await (const chunk of stream) chunks.push(chunk);
    };
    const encoder = createEncoder(coding, this.#content.level);
    await (encoder ? pipeline(this.#read(), encoder, keep) : pipeline(this.#read(), keep));
    if (chunks.length === 1) return chunks[0] as Buffer;
    return Buffer.from((await toSharedBytes(chunks)).buffer);
  }
}

/** A small body, made at the first demand for it or for its entity tag. */
export function smallBody(make: () => Buffer): CodedBody {
  let made: { body: Buffer; digest: string } | undefined;
  const once = () => {
    if (made === undefined) {
      const body = make();
      made = { body, digest: digestOf(body) };
    }
    return made;
  };
  return new CodedBody({
    digest: () => once().digest,
    read: () => [once().body],
    length: () => once().body.length,
    level: 'small',
    isKept: true,
  });
}

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
