import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { toSharedBytes } from '../../memory/shared-bytes.ts';
import { type Coding, createEncoder, type EncoderLevel } from './encoding.ts';
import { digestOf, etagFor } from './entity-tag.ts';

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
export class CodedBody {
  readonly #content: Content;
  readonly #made = new Map<Coding, Promise<Buffer>>();
  #length: Promise<number> | undefined;

  constructor(content: Content) {
    this.#content = content;
    if (content.gzip) this.#made.set('gzip', Promise.resolve(content.gzip));
  }

  get hasBr(): boolean {
    return this.#content.hasBr ?? true;
  }

  async etagFor(coding: Coding): Promise<string> {
    return etagFor(await this.#content.digest(), coding);
  }

  /** The bytes in a coding; undefined for an uncompressed body that is not kept: stream it with `read`. */
  get(coding: Coding): Promise<Buffer> | undefined {
    if (coding === 'identity' && !this.#content.isKept) return undefined;
    const known = this.#made.get(coding);
    if (known) return known;
    const making = this.#make(coding);
    this.#made.set(coding, making);
    making.catch(() => this.#made.delete(coding));
    return making;
  }

  read(): Readable {
    const content = this.#content.read();
    return content instanceof Readable ? content : Readable.from(content, { objectMode: false });
  }

  /** The length in a coding if it is known without making the body. */
  async lengthOf(coding: Coding): Promise<number | undefined> {
    const made = this.#made.get(coding);
    if (made) return (await made).length;
    if (coding !== 'identity' || !this.#content.length) return undefined;
    this.#length ??= Promise.resolve(this.#content.length());
    return this.#length;
  }

  async #make(coding: Coding): Promise<Buffer> {
    const chunks: Buffer[] = [];
    const keep = async (stream: AsyncIterable<Buffer>) => {
      for await (const chunk of stream) chunks.push(chunk);
    };
    const encoder = createEncoder(coding, this.#content.level);
    await (encoder ? pipeline(this.read(), encoder, keep) : pipeline(this.read(), keep));
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
