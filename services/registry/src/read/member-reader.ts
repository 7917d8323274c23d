import { WRAPPERS } from '../normalise/records.ts';
import { CONTINUATION_NAMES } from './continuation.ts';
import { CONTEXT_NAMES } from './document-context.ts';
import { JsonScanner } from './json-scanner.ts';
import { LIST_NAMES } from './lists.ts';
import { BEYOND_ASCII, ESCAPES, isTooLarge, RecordSpans } from './record-spans.ts';

/** Of a member that says something about the whole file. */
const MAX_MEMBER_BYTES = 256 * 1_024;
const MAX_MEMBERS = 1_000;
/** No wanted name is longer, even if every letter is an escape sequence. */
const MAX_NAME_BYTES = 128;

const QUOTE = 0x22;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;

const MEMBER_NAMES = new Set([...CONTEXT_NAMES, ...CONTINUATION_NAMES]);
const WRAPPER_NAMES: ReadonlySet<string> = new Set(WRAPPERS);

/** What an object says about all records in it. */
export type Values = Record<string, unknown>;

/** The members of an object. */
export interface Members {
  spans: RecordSpans;
  /** Of the last member of each name: the containers that may be lists. */
  lists: Map<string, RecordSpans>;
  /** Index of the last member of each short name. */
  byName: Map<string, number>;
}

/** Finds the members and elements of JSON, and parses only those that are asked for. */
export class MemberReader {
  readonly bytes: Buffer;
  readonly scanner: JsonScanner;
  readonly #superseded = new WeakMap<RecordSpans, Set<number>>();

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.scanner = new JsonScanner(bytes);
  }

  isList(at: number): boolean {
    return this.bytes[at] === OPEN_LIST;
  }

  isObject(at: number): boolean {
    return this.bytes[at] === OPEN_OBJECT;
  }

  /** The members of the object at `start`. */
  read(start: number): Members & { end: number } {
    const members: Members = { spans: new RecordSpans(true), lists: new Map(), byName: new Map() };
    const end = this.scanner.walkObject(start, (keyStart, keyEnd, at) => {
      const name = this.shortText(keyStart, keyEnd);
      members.lists.delete(name);
      const isList = LIST_NAMES.has(name);
      const valueEnd = isList ? this.#collectList(name, at, members.lists) : this.#skip(at);
      if (members.byName.size < MAX_MEMBERS || members.byName.has(name)) members.byName.set(name, members.spans.count);
      // Of a list, only the flags of its elements are known.
      members.spans.add(keyStart, keyEnd, at, valueEnd, isList ? BEYOND_ASCII | ESCAPES : this.#flags());
      return valueEnd;
    });
    return { ...members, end };
  }

  #collectList(name: string, at: number, lists: Members['lists']): number {
    const first = this.bytes[at];
    if (first !== OPEN_LIST && first !== OPEN_OBJECT) return this.#skip(at);
    const spans = new RecordSpans(first === OPEN_OBJECT);
    lists.set(name, spans);
    return this.collect(at, spans);
  }

  /** Adds the elements of a list or the members of an object to `spans`, and returns the end. */
  collect(start: number, spans: RecordSpans): number {
    if (spans.isKeyed) {
      return this.scanner.walkObject(start, (keyStart, keyEnd, at) => {
        const end = this.#skip(at);
        spans.add(keyStart, keyEnd, at, end, this.#flags());
        return end;
      });
    }
    return this.scanner.walkList(start, (at) => {
      const end = this.#skip(at);
      spans.add(0, 0, at, end, this.#flags());
      return end;
    });
  }

  #skip(at: number): number {
    this.scanner.hasBeyondAscii = false;
    this.scanner.hasEscapes = false;
    return this.scanner.skipValue(at);
  }

  /** Of the last skipped value. */
  #flags(): number {
    return (this.scanner.hasBeyondAscii ? BEYOND_ASCII : 0) | (this.scanner.hasEscapes ? ESCAPES : 0);
  }

  /** The spans of members whose key occurs again; none in a list. Call it once all members have been added. */
  findSuperseded(spans: RecordSpans): ReadonlySet<number> {
    const known = this.#superseded.get(spans);
    if (known) return known;
    const superseded = new Set<number>();
    this.#superseded.set(spans, superseded);
    if (!spans.isKeyed) return superseded;
    const spansByKey = new Map<string, number>();
    for (let span = 0; span < spans.count; span++) {
      if (isTooLarge(spans, span)) continue;
      const key = this.text(spans.keyStart(span), spans.keyEnd(span));
      const before = spansByKey.get(key);
      if (before !== undefined) superseded.add(before);
      spansByKey.set(key, span);
    }
    return superseded;
  }

  /** The names of the members of an object that are texts, also of a record within it. */
  textsOf(start: number): Set<string> {
    const texts = new Set<string>();
    if (this.bytes[start] !== OPEN_OBJECT) return texts;
    const wrapped = new Map<string, number>();
    this.#walkTexts(start, texts, (name, at) => {
      if (!WRAPPER_NAMES.has(name)) return;
      if (this.bytes[at] === OPEN_OBJECT) wrapped.set(name, at);
      else wrapped.delete(name);
    });
    if (!texts.has('name')) for (const at of wrapped.values()) this.#walkTexts(at, texts, () => {});
    return texts;
  }

  #walkTexts(start: number, texts: Set<string>, visit: (name: string, at: number) => void): void {
    this.scanner.walkObject(start, (keyStart, keyEnd, at) => {
      const name = this.shortText(keyStart, keyEnd);
      if (this.bytes[at] === QUOTE) texts.add(name);
      else texts.delete(name);
      visit(name, at);
      return this.scanner.skipValue(at);
    });
  }

  /** Whether a value is a list that begins with an object. */
  isListOfObjects(start: number): boolean {
    return this.bytes[start] === OPEN_LIST && this.bytes[this.scanner.skipSpace(start + 1)] === OPEN_OBJECT;
  }

  /** The start of the value of the last member of a name. */
  valueAt({ spans, byName }: Members, name: string): number | undefined {
    const member = byName.get(name);
    return member === undefined ? undefined : spans.start(member);
  }

  /** The members that say something about all records. */
  valuesOf({ spans, byName }: Members): Values {
    const values: Values = {};
    for (const [name, member] of byName) {
      const [start, end] = [spans.start(member), spans.end(member)];
      if (!MEMBER_NAMES.has(name) || end - start > MAX_MEMBER_BYTES) continue;
      values[name] = this.parse(start, end);
    }
    return values;
  }

  /** Undefined if it is nested too deeply. */
  parse(start: number, end: number): unknown {
    try {
      return JSON.parse(this.bytes.toString('utf8', start, end));
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }

  /** Empty for a long name, which is none of the wanted ones. */
  shortText(start: number, end: number): string {
    return end - start > MAX_NAME_BYTES + 2 ? '' : this.text(start, end);
  }

  /** The value of a string, given with its quotes. */
  text(start: number, end: number): string {
    return JSON.parse(this.bytes.toString('utf8', start, end));
  }
}
