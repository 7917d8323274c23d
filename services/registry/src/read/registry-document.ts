import type { RawRecord, RecordContext } from '../normalise/records.ts';
import { WRAPPERS } from '../normalise/wrapped-record.ts';
import type { SkillKind } from '../skills/skill.ts';
import { UpstreamError } from '../source/errors.ts';
import { CONTINUATION_NAMES, type Continuation, readContinuation } from './continuation.ts';
import { type DeclaredCategory, readDeclaredCategories } from './declared-categories.ts';
import { CONTEXT_NAMES, toCategory, toContext } from './document-context.ts';
import { JsonScanner } from './json-scanner.ts';
import { ENVELOPES, KIND_LISTS, LIST_NAMES, OTHER_LISTS, SKILL_LISTS } from './lists.ts';
import { BEYOND_ASCII, ESCAPES, RecordSpans } from './record-spans.ts';

const MAX_RECORD_BYTES = 1_048_576;
const MAX_CATEGORIES_BYTES = 8 * 1_048_576;
/** Of a member that says something about the whole file. */
const MAX_MEMBER_BYTES = 256 * 1_024;
const MAX_MEMBERS = 1_000;
/** No wanted name is longer, even if every letter is an escape sequence. */
const MAX_NAME_BYTES = 128;
/** So many elements tell whether a list is one of records. */
const MAX_EXAMPLES = 100;

const QUOTE = 0x22;
const LESS_THAN = 0x3c;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;

const MEMBER_NAMES = new Set([...CONTEXT_NAMES, ...CONTINUATION_NAMES]);
const WRAPPER_NAMES: ReadonlySet<string> = new Set(WRAPPERS);
const GROUPED_LISTS: ReadonlySet<string> = new Set([...SKILL_LISTS, 'plugins']);
const CATEGORY_LISTS = new Set(['categories', 'groups', 'sections']);
const MAX_GROUPS = 10_000;
const NAMES = ['name', 'title', 'id', 'slug', 'key'];

/** A registry file, which is parsed record by record. */
export interface RegistryDocument {
  /** List by list, in the order of the file, parsed by each call. Of members with the same key, the last one counts. */
  records(): Iterable<RawRecord>;
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

/** The records of one list. */
interface RecordList {
  spans: RecordSpans;
  superseded: ReadonlySet<number>;
  context: RecordContext;
}

interface Found {
  lists: RecordList[];
  /** The object with the lists. */
  members: Members;
  /** What the file says about itself. */
  values: Values;
}

type Values = Record<string, unknown>;

/** The members of an object. */
interface Members {
  spans: RecordSpans;
  /** Of the last member of each name: the containers that may be lists. */
  lists: Map<string, RecordSpans>;
  /** Index of the last member of each short name. */
  byName: Map<string, number>;
}

class DocumentReader {
  readonly #bytes: Buffer;
  readonly #scanner: JsonScanner;
  readonly #address: string | undefined;

  constructor(bytes: Uint8Array, address: string | undefined) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#scanner = new JsonScanner(bytes);
    this.#address = address;
  }

  read(): RegistryDocument {
    const start = this.#start();
    if (this.#bytes[start] === OPEN_OBJECT) return this.#readObject(start);
    if (this.#bytes[start] === OPEN_LIST) return this.#readList(start);
    this.#scanner.expectEnd(this.#scanner.skipValue(start));
    throw unknownShape();
  }

  readPart(): { hasRecords: boolean; continuation: Continuation } {
    const start = this.#start();
    if (this.#bytes[start] !== OPEN_OBJECT) return { hasRecords: true, continuation: {} };
    const members = this.#readMembers(start);
    const found = this.#findLists(members);
    return {
      hasRecords: found !== undefined,
      continuation: readContinuation(found?.values ?? this.#valuesOf(members)),
    };
  }

  #readList(start: number): RegistryDocument {
    const spans = new RecordSpans(false);
    this.#scanner.expectEnd(this.#collect(start, spans));
    const lists = this.#areGroups(spans) ? this.#readGroups(spans, {}, false) : [this.#toList('skill', spans, {})];
    return { records: () => this.#records(lists), declared: [], continuation: {} };
  }

  #start(): number {
    const start = this.#scanner.skipSpace(this.#hasByteOrderMark() ? 3 : 0);
    if (start >= this.#bytes.length) throw new UpstreamError('empty', 'The file is empty');
    if (this.#bytes[start] === LESS_THAN) throw new UpstreamError('html', 'The file is a web page, not JSON');
    return start;
  }

  #readObject(start: number): RegistryDocument {
    const outer = this.#readMembers(start);
    this.#scanner.expectEnd(outer.end);
    const found = this.#findLists(outer);
    if (found === undefined) throw unknownShape();
    const { lists, members, values } = found;
    return {
      records: () => this.#records(lists),
      declared: this.#readCategories(members),
      continuation: readContinuation(values),
    };
  }

  #readMembers(start: number): Members & { end: number } {
    const members: Members = { spans: new RecordSpans(true), lists: new Map(), byName: new Map() };
    const end = this.#scanner.walkObject(start, (keyStart, keyEnd, at) => {
      const name = this.#shortText(keyStart, keyEnd);
      members.lists.delete(name);
      const valueEnd = LIST_NAMES.has(name) ? this.#collectList(name, at, members.lists) : this.#skip(at);
      if (members.byName.size < MAX_MEMBERS || members.byName.has(name)) members.byName.set(name, members.spans.count);
      members.spans.add(keyStart, keyEnd, at, valueEnd, this.#flags());
      return valueEnd;
    });
    return { ...members, end };
  }

  #collectList(name: string, at: number, lists: Members['lists']): number {
    const first = this.#bytes[at];
    if (first !== OPEN_LIST && first !== OPEN_OBJECT) return this.#skip(at);
    const spans = new RecordSpans(first === OPEN_OBJECT);
    lists.set(name, spans);
    return this.#collect(at, spans);
  }

  /** The lists of records in an object, or else in an object or in groups within it. */
  #findLists(members: Members): Found | undefined {
    const values = this.#valuesOf(members);
    const named = this.#findNamed(members, values);
    if (named.length > 0) return { lists: named, members, values };
    for (const name of ENVELOPES) {
      const at = this.#valueAt(members, name);
      if (at === undefined || this.#bytes[at] !== OPEN_OBJECT) continue;
      const inner = this.#readMembers(at);
      const innerValues = { ...values, ...this.#valuesOf(inner) };
      const lists = this.#findNamed(inner, innerValues);
      if (lists.length > 0) return { lists, members: inner, values: innerValues };
    }
    const lists = this.#findGroups(members, values) ?? this.#findUnnamed(members, values);
    return lists && { lists, members, values };
  }

  #findNamed({ lists }: Members, values: Values): RecordList[] {
    const main = SKILL_LISTS.find((name) => lists.has(name));
    const found = main === undefined ? [] : [this.#toList('skill', lists.get(main) as RecordSpans, values)];
    for (const [name, kind] of KIND_LISTS) {
      const spans = lists.get(name);
      if (spans === undefined || !this.#isCatalogue(kind, spans, found.length > 0)) continue;
      found.push(this.#toList(kind, spans, values));
    }
    if (found.length > 0) return found;
    const other = OTHER_LISTS.map((name) => lists.get(name)).find((spans) => {
      return spans !== undefined && this.#isListOfRecords(spans) && !this.#areGroups(spans);
    });
    return other ? [this.#toList('skill', other, values)] : [];
  }

  /** The lists of all groups, such as those of a category or of a repository. */
  #findGroups({ spans, byName }: Members, values: Values): RecordList[] | undefined {
    for (const [name, member] of byName) {
      const start = spans.start(member);
      if (this.#bytes[start] !== OPEN_LIST) continue;
      const groups = new RecordSpans(false);
      this.#collect(start, groups);
      if (this.#areGroups(groups)) return this.#readGroups(groups, values, CATEGORY_LISTS.has(name));
    }
    return undefined;
  }

  #areGroups(groups: RecordSpans): boolean {
    if (groups.isKeyed) return false;
    const examples = Math.min(groups.count, MAX_EXAMPLES);
    let wanted = 0;
    for (let group = 0; group < examples; group++) if (this.#isGroup(groups.start(group))) wanted++;
    return wanted * 2 > examples;
  }

  /** Whether an object has a list of objects as `skills`, `plugins` or `items`. */
  #isGroup(start: number): boolean {
    if (this.#bytes[start] !== OPEN_OBJECT) return false;
    const lists = new Set<string>();
    this.#scanner.walkObject(start, (keyStart, keyEnd, at) => {
      const isList = this.#bytes[at] === OPEN_LIST && this.#bytes[this.#scanner.skipSpace(at + 1)] === OPEN_OBJECT;
      const name = this.#shortText(keyStart, keyEnd);
      if (isList && GROUPED_LISTS.has(name)) lists.add(name);
      else lists.delete(name);
      return this.#scanner.skipValue(at);
    });
    return lists.size > 0;
  }

  #readGroups(groups: RecordSpans, values: Values, areCategories: boolean): RecordList[] {
    const lists: RecordList[] = [];
    for (let group = 0; group < Math.min(groups.count, MAX_GROUPS); group++) {
      if (!this.#isGroup(groups.start(group))) continue;
      const members = this.#readMembers(groups.start(group));
      const own = this.#valuesOf(members);
      const category = areCategories ? toCategory(own) : undefined;
      for (const list of this.#findNamed(members, { ...values, ...own })) {
        lists.push(category === undefined ? list : { ...list, context: { ...list.context, category } });
      }
    }
    return lists;
  }

  /** The root object itself if it is keyed by slug, or else its only array of skills. */
  #findUnnamed(members: Members, values: Values): RecordList[] | undefined {
    const superseded = this.#findSuperseded(members.spans);
    if (this.#mostLookLikeSkills(members.spans, superseded)) {
      return [{ spans: members.spans, superseded, context: toContext('skill', {}, this.#address) }];
    }
    const only = this.#findOnly(members);
    return only && [this.#toList('skill', only, values)];
  }

  /**
   * Whether a list of another kind than skills is one of a catalogue. Without another list, an object keyed by name
   * is a configuration: of MCP servers, hooks, settings.
   */
  #isCatalogue(kind: SkillKind, spans: RecordSpans, isBeside: boolean): boolean {
    if (kind === 'plugin') return this.#isListOfRecords(spans);
    return (isBeside || !spans.isKeyed) && this.#mostAre(spans, (texts) => isEntry(texts, spans.isKeyed));
  }

  #isListOfRecords(spans: RecordSpans): boolean {
    return (!spans.isKeyed && spans.count === 0) || this.#mostAre(spans, isRecord);
  }

  #mostAre(spans: RecordSpans, isWanted: (texts: Set<string>) => boolean): boolean {
    const examples = Math.min(spans.count, MAX_EXAMPLES);
    let wanted = 0;
    for (let span = 0; span < examples; span++) if (isWanted(this.#textsOf(spans.start(span)))) wanted++;
    return wanted * 2 > examples;
  }

  /** The array of an unknown name whose elements look like skills, if it is the only one. */
  #findOnly({ spans, byName }: Members): RecordSpans | undefined {
    const found: RecordSpans[] = [];
    for (const [, member] of byName) {
      const start = spans.start(member);
      if (this.#bytes[start] !== OPEN_LIST) continue;
      const elements = new RecordSpans(false);
      this.#collect(start, elements);
      if (this.#mostAre(elements, (texts) => isEntry(texts, false))) found.push(elements);
    }
    return found.length === 1 ? found[0] : undefined;
  }

  #toList(kind: SkillKind, spans: RecordSpans, values: Values): RecordList {
    const superseded = spans.isKeyed ? this.#findSuperseded(spans) : new Set<number>();
    return { spans, superseded, context: toContext(kind, values, this.#address) };
  }

  /** The start of the value of the last member of a name. */
  #valueAt({ spans, byName }: Members, name: string): number | undefined {
    const member = byName.get(name);
    return member === undefined ? undefined : spans.start(member);
  }

  /** The members that say something about all records. */
  #valuesOf({ spans, byName }: Members): Values {
    const values: Values = {};
    for (const [name, member] of byName) {
      const [start, end] = [spans.start(member), spans.end(member)];
      if (!MEMBER_NAMES.has(name) || end - start > MAX_MEMBER_BYTES) continue;
      values[name] = this.#parse(start, end);
    }
    return values;
  }

  /** Undefined if it is nested too deeply. */
  #parse(start: number, end: number): unknown {
    try {
      return JSON.parse(this.#bytes.toString('utf8', start, end));
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
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

  #mostLookLikeSkills(members: RecordSpans, superseded: ReadonlySet<number>): boolean {
    let skills = 0;
    for (let span = 0; span < members.count; span++) {
      if (!superseded.has(span) && this.#looksLikeSkill(members.start(span))) skills++;
    }
    return skills * 2 > members.count - superseded.size;
  }

  #looksLikeSkill(start: number): boolean {
    return isRecord(this.#textsOf(start));
  }

  /** The names of the members of an object that are texts, also of a record within it. */
  #textsOf(start: number): Set<string> {
    const texts = new Set<string>();
    if (this.#bytes[start] !== OPEN_OBJECT) return texts;
    const wrapped = new Map<string, number>();
    this.#walkTexts(start, texts, (name, at) => {
      if (!WRAPPER_NAMES.has(name)) return;
      if (this.#bytes[at] === OPEN_OBJECT) wrapped.set(name, at);
      else wrapped.delete(name);
    });
    if (!texts.has('name')) for (const at of wrapped.values()) this.#walkTexts(at, texts, () => {});
    return texts;
  }

  #walkTexts(start: number, texts: Set<string>, visit: (name: string, at: number) => void): void {
    this.#scanner.walkObject(start, (keyStart, keyEnd, at) => {
      const name = this.#shortText(keyStart, keyEnd);
      if (this.#bytes[at] === QUOTE) texts.add(name);
      else texts.delete(name);
      visit(name, at);
      return this.#scanner.skipValue(at);
    });
  }

  *#records(lists: readonly RecordList[]): Generator<RawRecord> {
    let index = 0;
    for (const { spans, superseded, context } of lists) {
      for (let span = 0; span < spans.count; span++) {
        if (!superseded.has(span)) yield this.#readRecord(spans, span, index++, context);
      }
    }
  }

  #readRecord(spans: RecordSpans, span: number, index: number, context: RecordContext): RawRecord {
    if (isTooLarge(spans, span)) return rejected(index, undefined);
    const key = spans.isKeyed ? this.#text(spans.keyStart(span), spans.keyEnd(span)) : undefined;
    const flags = spans.flags(span);
    const encoding = flags & BEYOND_ASCII ? 'utf8' : 'latin1';
    try {
      const value: unknown = JSON.parse(this.#bytes.toString(encoding, spans.start(span), spans.end(span)));
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
    return end - start > MAX_CATEGORIES_BYTES ? [] : readDeclaredCategories(this.#parse(start, end));
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

/** Whether an object with these texts looks like a record. */
function isRecord(texts: ReadonlySet<string>): boolean {
  return texts.has('name') || texts.has('description');
}

/** Whether an object with these texts looks like an entry of a catalogue. */
function isEntry(texts: ReadonlySet<string>, isKeyed: boolean): boolean {
  return texts.has('description') && (isKeyed || NAMES.some((name) => texts.has(name)));
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
