import type { RawRecord } from '../normalise/records.ts';
import { UpstreamError } from '../source/errors.ts';
import { type DeclaredCategory, readDeclaredCategories } from './declared-categories.ts';
import { JsonScanner } from './json-scanner.ts';
import { BEYOND_ASCII, ESCAPES, RecordSpans } from './record-spans.ts';

const MAX_RECORD_BYTES = 1_048_576;
const MAX_CATEGORIES_BYTES = 8 * 1_048_576;
/** No wanted name is longer, even if every letter is an escape sequence. */
const MAX_NAME_BYTES = 64;

const QUOTE = 0x22;
const LESS_THAN = 0x3c;
const OPEN_LIST = 0x5b;
const LETTER_N = 0x6e;
const OPEN_OBJECT = 0x7b;

/** A record that is not parsed yet. */
interface RecordEntry {
  /** Its value, and before it its key if it has one. */
  bytes: Uint8Array;
  read(): RawRecord;
}

/** A registry file, which is parsed record by record. */
export interface RegistryDocument {
  /** In the order of the file. Of members with the same key, the last one counts. */
  entries(): Iterable<RecordEntry>;
  /** What the file says about all of its records. */
  context: object;
  declared: DeclaredCategory[];
}

/**
 * Reads a registry file of any known shape: a root array; `skills` or `items` as an array or an object keyed by slug; a
 * root object keyed by slug, if more than half of its values look like skills. Checks that the whole file is JSON.
 * @throws UpstreamError `empty`, `html`, `not_json`, `unknown_shape`
 */
export function readDocument(bytes: Uint8Array): RegistryDocument {
  return new DocumentReader(bytes, ['skills', 'items']).read();
}

/** Reads a shard like `readDocument`; the records may also be in `records`. */
export function readShard(bytes: Uint8Array): RegistryDocument {
  return new DocumentReader(bytes, ['skills', 'items', 'records']).read();
}

class DocumentReader {
  readonly #bytes: Buffer;
  readonly #scanner: JsonScanner;
  readonly #listNames: readonly string[];

  constructor(bytes: Uint8Array, listNames: readonly string[]) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#scanner = new JsonScanner(bytes);
    this.#listNames = listNames;
  }

  read(): RegistryDocument {
    const start = this.#scanner.skipSpace(this.#hasByteOrderMark() ? 3 : 0);
    if (start >= this.#bytes.length) throw new UpstreamError('empty', 'The file is empty');
    switch (this.#bytes[start]) {
      case LESS_THAN:
        throw new UpstreamError('html', 'The file is a web page, not JSON');
      case OPEN_LIST:
      case OPEN_OBJECT:
        return this.#readContainer(start);
      default:
        this.#scanner.expectEnd(this.#scanner.skipValue(start));
        throw unknownShape();
    }
  }

  #readContainer(start: number): RegistryDocument {
    if (this.#bytes[start] === OPEN_OBJECT) return this.#readObject(start);
    const spans = new RecordSpans(false);
    this.#scanner.expectEnd(this.#collect(start, spans));
    return { entries: () => this.#entries(spans, new Set()), declared: [], context: {} };
  }

  #readObject(start: number): RegistryDocument {
    const members = new RecordSpans(true);
    const lists = new Map<string, RecordSpans | undefined>();
    let categories: { start: number; end: number } | undefined;
    const end = this.#scanner.walkObject(start, (keyStart, keyEnd, at) => {
      const name = this.#shortText(keyStart, keyEnd);
      const valueEnd = this.#listNames.includes(name) ? this.#collectList(name, at, lists) : this.#skip(at);
      members.add(keyStart, keyEnd, at, valueEnd, this.#flags());
      if (name === 'categories') categories = { start: at, end: valueEnd };
      return valueEnd;
    });
    this.#scanner.expectEnd(end);
    const name = this.#listNames.find((candidate) => lists.has(candidate));
    const spans = (name === undefined ? undefined : lists.get(name)) ?? members;
    const superseded = spans.isKeyed ? this.#findSuperseded(spans) : new Set<number>();
    if (spans === members && !this.#mostLookLikeSkills(members, superseded)) throw unknownShape();
    return { entries: () => this.#entries(spans, superseded), declared: this.#readCategories(categories), context: {} };
  }

  /** Null counts as a missing list. Other values that are neither an array nor an object have no records. */
  #collectList(name: string, at: number, lists: Map<string, RecordSpans | undefined>): number {
    const first = this.#bytes[at];
    const isContainer = first === OPEN_LIST || first === OPEN_OBJECT;
    const spans = isContainer ? new RecordSpans(first === OPEN_OBJECT) : undefined;
    if (first === LETTER_N) lists.delete(name);
    else lists.set(name, spans);
    return spans ? this.#collect(at, spans) : this.#skip(at);
  }

  #collect(start: number, spans: RecordSpans): number {
    if (spans.isKeyed) {
      return this.#scanner.walkObject(start, (keyStart, keyEnd, at) => {
        const end = this.#skip(at);
        spans.add(keyStart, keyEnd, at, end, this.#flags());
        return end;
      });
    }
    return this.#scanner.walkList(start, (at) => {
      const end = this.#skip(at);
      spans.add(0, 0, at, end, this.#flags());
      return end;
    });
  }

  #skip(at: number): number {
    this.#scanner.hasBeyondAscii = false;
    this.#scanner.hasEscapes = false;
    return this.#scanner.skipValue(at);
  }

  /** Of the last skipped value. */
  #flags(): number {
    return (this.#scanner.hasBeyondAscii ? BEYOND_ASCII : 0) | (this.#scanner.hasEscapes ? ESCAPES : 0);
  }

  /** The spans of members whose key occurs again. */
  #findSuperseded(spans: RecordSpans): Set<number> {
    const superseded = new Set<number>();
    const spansByKey = new Map<string, number>();
    for (let span = 0; span < spans.count; span++) {
      if (isTooLarge(spans, span)) continue;
      const key = this.#text(spans.keyStart(span), spans.keyEnd(span));
      const before = spansByKey.get(key);
      if (before !== undefined) superseded.add(before);
      spansByKey.set(key, span);
    }
    return superseded;
  }

  #mostLookLikeSkills(members: RecordSpans, superseded: Set<number>): boolean {
    let skills = 0;
    for (let span = 0; span < members.count; span++) {
      if (!superseded.has(span) && this.#looksLikeSkill(members.start(span))) skills++;
    }
    return skills * 2 > members.count - superseded.size;
  }

  /** Whether it is an object with a string as `name` or `description`. */
  #looksLikeSkill(start: number): boolean {
    if (this.#bytes[start] !== OPEN_OBJECT) return false;
    const texts = new Set<string>();
    this.#scanner.walkObject(start, (keyStart, keyEnd, at) => {
      const name = this.#shortText(keyStart, keyEnd);
      if (this.#bytes[at] === QUOTE) texts.add(name);
      else texts.delete(name);
      return this.#scanner.skipValue(at);
    });
    return texts.has('name') || texts.has('description');
  }

  *#entries(spans: RecordSpans, superseded: Set<number>): Generator<RecordEntry> {
    let count = 0;
    for (let span = 0; span < spans.count; span++) {
      if (superseded.has(span)) continue;
      const index = count++;
      const start = spans.isKeyed ? spans.keyStart(span) : spans.start(span);
      yield {
        bytes: this.#bytes.subarray(start, spans.end(span)),
        read: () => this.#readRecord(spans, span, index),
      };
    }
  }

  #readRecord(spans: RecordSpans, span: number, index: number): RawRecord {
    if (isTooLarge(spans, span)) return rejected(index, undefined);
    const key = spans.isKeyed ? this.#text(spans.keyStart(span), spans.keyEnd(span)) : undefined;
    const flags = spans.flags(span);
    const encoding = flags & BEYOND_ASCII ? 'utf8' : 'latin1';
    try {
      const value: unknown = JSON.parse(this.#bytes.toString(encoding, spans.start(span), spans.end(span)));
      return { index, key, value, isTooLarge: false, isPlain: flags === 0 };
    } catch (error) {
      if (error instanceof RangeError) return rejected(index, key);
      throw error;
    }
  }

  #readCategories(span: { start: number; end: number } | undefined): DeclaredCategory[] {
    if (span === undefined || span.end - span.start > MAX_CATEGORIES_BYTES) return [];
    return readDeclaredCategories(JSON.parse(this.#bytes.toString('utf8', span.start, span.end)));
  }

  #shortText(start: number, end: number): string {
    return end - start > MAX_NAME_BYTES + 2 ? '' : this.#text(start, end);
  }

  /** The value of a string, given with its quotes. */
  #text(start: number, end: number): string {
    return JSON.parse(this.#bytes.toString('utf8', start, end));
  }

  #hasByteOrderMark(): boolean {
    return this.#bytes[0] === 0xef && this.#bytes[1] === 0xbb && this.#bytes[2] === 0xbf;
  }
}

function rejected(index: number, key: string | undefined): RawRecord {
  return { index, key, value: undefined, isTooLarge: true, isPlain: false };
}

function isTooLarge(spans: RecordSpans, span: number): boolean {
  const start = spans.isKeyed ? spans.keyStart(span) : spans.start(span);
  return spans.end(span) - start > MAX_RECORD_BYTES;
}

function unknownShape(): UpstreamError {
  return new UpstreamError('unknown_shape', 'The JSON contains no list of skills');
}
