import type { RawRecord, RecordContext } from '../normalise/records.ts';
import { UpstreamError } from '../source/errors.ts';
import { type Continuation, readContinuation } from './continuation.ts';
import { type DeclaredCategory, readDeclaredCategories } from './declared-categories.ts';
import { ListFinder, type RecordList } from './list-finder.ts';
import { MemberReader, type Members } from './member-reader.ts';
import { BEYOND_ASCII, isTooLarge, RecordSpans } from './record-spans.ts';

const MAX_CATEGORIES_BYTES = 8 * 1_048_576;
const LESS_THAN = 0x3c;

/** A record that is not parsed yet. Its `RawRecord` depends only on these bytes, the context and the position. */
interface RecordEntry {
  /** Its value, and before it its key if it has one. */
  bytes: Uint8Array;
  /** The same object for all records of a list. */
  context: RecordContext;
  read(): RawRecord;
}

/** A registry file, which is parsed record by record. */
export interface RegistryDocument {
  /** List by list, in the order of the file. Of members with the same key, the last one counts. */
  entries(): Iterable<RecordEntry>;
  declared: DeclaredCategory[];
  /** What the file says about records in other files. */
  continuation: Continuation;
}

/**
 * Reads a registry file of any known shape: a root array; lists such as `skills` or `plugins`, each an array or an
 * object keyed by slug (`lists.ts`); a root object keyed by slug, if more than half of its values look like skills; the
 * only array whose elements look like skills. Checks that the whole file is JSON. `address` is its public URL.
 * @throws UpstreamError `empty`, `html`, `not_json`, `unknown_shape`
 */
export function readDocument(bytes: Uint8Array, address?: string): RegistryDocument {
  return new DocumentReader(bytes, address).read();
}

/** Whether a file of a known shape has records, and what it says about its rest. */
export function readPart(bytes: Uint8Array): { hasRecords: boolean; continuation: Continuation } {
  return new DocumentReader(bytes, undefined).readPart();
}

class DocumentReader {
  readonly #reader: MemberReader;
  readonly #finder: ListFinder;

  constructor(bytes: Uint8Array, address: string | undefined) {
    this.#reader = new MemberReader(bytes);
    this.#finder = new ListFinder(this.#reader, address);
  }

  read(): RegistryDocument {
    const start = this.#start();
    if (this.#reader.isObject(start)) return this.#readObject(start);
    if (this.#reader.isList(start)) return this.#readList(start);
    this.#reader.scanner.expectEnd(this.#reader.scanner.skipValue(start));
    throw unknownShape();
  }

  readPart(): { hasRecords: boolean; continuation: Continuation } {
    const start = this.#start();
    if (!this.#reader.isObject(start)) return { hasRecords: true, continuation: {} };
    const members = this.#reader.read(start);
    const found = this.#finder.find(members);
    return {
      hasRecords: found !== undefined,
      continuation: readContinuation(found?.values ?? this.#reader.valuesOf(members)),
    };
  }

  #readList(start: number): RegistryDocument {
    const spans = new RecordSpans(false);
    this.#reader.scanner.expectEnd(this.#reader.collect(start, spans));
    const lists = this.#finder.findInList(spans);
    return { entries: () => this.#entries(lists), declared: [], continuation: {} };
  }

  #start(): number {
    const start = this.#reader.scanner.skipSpace(this.#hasByteOrderMark() ? 3 : 0);
    if (start >= this.#reader.bytes.length) throw new UpstreamError('empty', 'The file is empty');
    if (this.#reader.bytes[start] === LESS_THAN) throw new UpstreamError('html', 'The file is a web page, not JSON');
    return start;
  }

  #readObject(start: number): RegistryDocument {
    const outer = this.#reader.read(start);
    this.#reader.scanner.expectEnd(outer.end);
    const found = this.#finder.find(outer);
    if (found === undefined) throw unknownShape();
    const { lists, members, values } = found;
    return {
      entries: () => this.#entries(lists),
      declared: this.#readCategories(members),
      continuation: readContinuation(values),
    };
  }

  *#entries(lists: readonly RecordList[]): Generator<RecordEntry> {
    let count = 0;
    for (const { spans, superseded, context } of lists) {
      for (let span = 0; span < spans.count; span++) {
        if (superseded.has(span)) continue;
        const index = count++;
        const start = spans.isKeyed ? spans.keyStart(span) : spans.start(span);
        yield {
          bytes: this.#reader.bytes.subarray(start, spans.end(span)),
          context,
          read: () => this.#readRecord(spans, span, index, context),
        };
      }
    }
  }

  #readRecord(spans: RecordSpans, span: number, index: number, context: RecordContext): RawRecord {
    if (isTooLarge(spans, span)) return rejected(index, undefined);
    const key = spans.isKeyed ? this.#reader.text(spans.keyStart(span), spans.keyEnd(span)) : undefined;
    const flags = spans.flags(span);
    const encoding = flags & BEYOND_ASCII ? 'utf8' : 'latin1';
    try {
      const value: unknown = JSON.parse(this.#reader.bytes.toString(encoding, spans.start(span), spans.end(span)));
      return { index, key, value, isTooLarge: false, isPlain: flags === 0, context };
    } catch (error) {
      if (error instanceof RangeError) return rejected(index, key);
      throw error;
    }
  }

  #readCategories({ spans, byName }: Members): DeclaredCategory[] {
    const member = byName.get('categories');
    if (member === undefined) return [];
    const [start, end] = [spans.start(member), spans.end(member)];
    return end - start > MAX_CATEGORIES_BYTES ? [] : readDeclaredCategories(this.#reader.parse(start, end));
  }

  #hasByteOrderMark(): boolean {
    return this.#reader.bytes[0] === 0xef && this.#reader.bytes[1] === 0xbb && this.#reader.bytes[2] === 0xbf;
  }
}

function rejected(index: number, key: string | undefined): RawRecord {
  return { index, key, value: undefined, isTooLarge: true, isPlain: false };
}

function unknownShape(): UpstreamError {
  return new UpstreamError('unknown_shape', 'The JSON contains no list of skills');
}
