import type { RecordContext } from '../normalise/records.ts';
import type { SkillKind } from '../skills/skill.ts';
import { UpstreamError } from '../source/errors.ts';
import { toCategory, toContext } from './document-context.ts';
import { ENVELOPES, KIND_LISTS, OTHER_LISTS, SKILL_LISTS } from './lists.ts';
import type { MemberReader, Members, Values } from './member-reader.ts';
import { RecordSpans } from './record-spans.ts';

/** So many elements tell whether a list is one of records. */
const MAX_EXAMPLES = 100;
const MAX_GROUPS = 10_000;
const GROUPED_LISTS: ReadonlySet<string> = new Set([...SKILL_LISTS, 'plugins']);
const PART_LISTS: ReadonlySet<string> = new Set([...SKILL_LISTS, ...KIND_LISTS.keys()]);
const CATEGORY_LISTS = new Set(['categories', 'groups', 'sections']);
/** A member of a catalogue has one of these, one of a configuration has not. */
const DESCRIBED = ['description', 'summary', 'category', 'path', 'repository', 'repo', 'source'];
const NAMES = ['name', 'title', 'id', 'slug', 'key'];

/** The records of one list. */
export interface RecordList {
  spans: RecordSpans;
  /** Members whose key occurs again. */
  superseded: ReadonlySet<number>;
  context: RecordContext;
}

export interface FoundLists {
  lists: RecordList[];
  /** The object with the lists. */
  members: Members;
  values: Values;
}

/** Finds the lists of records in a registry file. */
export class ListFinder {
  readonly #reader: MemberReader;
  readonly #address: string | undefined;

  constructor(reader: MemberReader, address: string | undefined) {
    this.#reader = reader;
    this.#address = address;
  }

  /** The lists of records in an object, or else in an object or in groups within it. */
  find(members: Members): FoundLists | undefined {
    const values = this.#reader.valuesOf(members);
    const named = this.#findNamed(members, values);
    if (named.length > 0) return { lists: named, members, values };
    for (const name of ENVELOPES) {
      const at = this.#reader.valueAt(members, name);
      if (at === undefined || !this.#reader.isObject(at)) continue;
      const inner = this.#reader.read(at);
      const innerValues = { ...values, ...this.#reader.valuesOf(inner) };
      const lists = this.#findNamed(inner, innerValues);
      if (lists.length > 0) return { lists, members: inner, values: innerValues };
    }
    const lists = this.#findGroups(members, values) ?? this.#findUnnamed(members, values);
    return lists && { lists, members, values };
  }

  #findNamed({ lists }: Members, values: Values): RecordList[] {
    const main = SKILL_LISTS.find((name) => lists.has(name));
    const found = main === undefined ? [] : this.#toLists(lists.get(main) as RecordSpans, values);
    for (const [name, kind] of KIND_LISTS) {
      const spans = lists.get(name);
      if (spans === undefined || !this.#isCatalogue(kind, spans, found.length > 0)) continue;
      const list = this.#toList(kind, spans, values);
      found.push(list);
      if (kind === 'plugin') found.push(...this.#findParts(list, values));
    }
    if (found.length > 0) return found;
    const other = OTHER_LISTS.map((name) => lists.get(name)).find((spans) => {
      return spans !== undefined && this.#isListOfRecords(spans) && !this.#areGroups(spans);
    });
    return other ? [this.#toList('skill', other, values)] : [];
  }

  /** The lists of what plugins have inside. @throws UpstreamError above 10,000 lists */
  #findParts({ spans, superseded }: RecordList, values: Values): RecordList[] {
    const lists: RecordList[] = [];
    for (let span = 0; span < spans.count; span++) {
      const places = superseded.has(span) ? [] : this.#placesOfParts(spans.start(span));
      if (places.length === 0) continue;
      const own = { ...values, ...this.#reader.valuesOf(this.#reader.read(spans.start(span))) };
      for (const place of places) lists.push(...this.#findNamed(this.#reader.read(place), own));
      if (lists.length > MAX_GROUPS) throw tooManyGroups();
    }
    return lists;
  }

  /** The objects with such lists: the plugin itself, and its `components`. */
  #placesOfParts(plugin: number): number[] {
    if (!this.#reader.isObject(plugin)) return [];
    const components = this.#reader.valueAt(this.#reader.read(plugin), 'components');
    return [plugin, components].filter((place) => place !== undefined && this.#isGroup(place, PART_LISTS)) as number[];
  }

  /** The lists of all groups, such as those of a category or of a repository. */
  #findGroups({ spans, byName }: Members, values: Values): RecordList[] | undefined {
    for (const [name, member] of byName) {
      const start = spans.start(member);
      if (!this.#reader.isList(start)) continue;
      const groups = new RecordSpans(false);
      this.#reader.collect(start, groups);
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

  /** Whether an object has a list of objects of one of these names. */
  #isGroup(start: number, names = GROUPED_LISTS): boolean {
    if (!this.#reader.isObject(start)) return false;
    const lists = new Set<string>();
    this.#reader.scanner.walkObject(start, (keyStart, keyEnd, at) => {
      const name = this.#reader.shortText(keyStart, keyEnd);
      if (names.has(name) && this.#reader.isListOfObjects(at)) lists.add(name);
      else lists.delete(name);
      return this.#reader.scanner.skipValue(at);
    });
    return lists.size > 0;
  }

  /** @throws UpstreamError above 10,000 groups */
  #readGroups(groups: RecordSpans, values: Values, areCategories: boolean): RecordList[] {
    if (groups.count > MAX_GROUPS) throw tooManyGroups();
    const lists: RecordList[] = [];
    for (let group = 0; group < groups.count; group++) {
      if (!this.#isGroup(groups.start(group))) continue;
      const members = this.#reader.read(groups.start(group));
      const own = this.#reader.valuesOf(members);
      const category = areCategories ? toCategory(own) : undefined;
      for (const list of this.#findNamed(members, { ...values, ...own })) {
        lists.push(category === undefined ? list : { ...list, context: { ...list.context, category } });
      }
    }
    return lists;
  }

  /** The root object itself if it is keyed by slug, or else its only array of skills. */
  #findUnnamed(members: Members, values: Values): RecordList[] | undefined {
    const superseded = this.#reader.findSuperseded(members.spans);
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
    const hasParts = (_: unknown, start: number) => this.#placesOfParts(start).length > 0;
    if (kind === 'plugin') return this.#isListOfRecords(spans) || (spans.isKeyed && this.#mostAre(spans, hasParts));
    if (spans.isKeyed) return isBeside && this.#mostAre(spans, (texts) => texts.has('description'));
    return this.#mostAre(spans, isListed);
  }

  #isListOfRecords(spans: RecordSpans): boolean {
    return (!spans.isKeyed && spans.count === 0) || this.#mostAre(spans, isRecord);
  }

  #mostAre(spans: RecordSpans, isWanted: (texts: Set<string>, start: number) => boolean): boolean {
    const superseded = this.#reader.findSuperseded(spans);
    let [examples, wanted] = [0, 0];
    for (let span = 0; span < spans.count && examples < MAX_EXAMPLES; span++) {
      if (superseded.has(span)) continue;
      examples++;
      const start = spans.start(span);
      if (isWanted(this.#reader.textsOf(start), start)) wanted++;
    }
    return wanted * 2 > examples;
  }

  /** The array of an unknown name whose elements look like skills, if it is the only one. */
  #findOnly({ spans, byName }: Members): RecordSpans | undefined {
    const found: RecordSpans[] = [];
    for (const [, member] of byName) {
      const start = spans.start(member);
      if (!this.#reader.isList(start)) continue;
      const elements = new RecordSpans(false);
      this.#reader.collect(start, elements);
      if (this.#mostAre(elements, isDescribed)) found.push(elements);
    }
    return found.length === 1 ? found[0] : undefined;
  }

  /** The list of skills, or one for each category if it is keyed by category. */
  #toLists(spans: RecordSpans, values: Values): RecordList[] {
    const list = this.#toList('skill', spans, values);
    if (!spans.isKeyed) return [list];
    const members = Array.from({ length: spans.count }, (_, member) => member).filter((at) => !list.superseded.has(at));
    const categories = members.filter((member) => this.#reader.isListOfObjects(spans.start(member)));
    if (categories.length * 2 <= members.length) return [list];
    return categories.map((member) => {
      const records = new RecordSpans(false);
      this.#reader.collect(spans.start(member), records);
      const category = toCategory({ id: this.#reader.text(spans.keyStart(member), spans.keyEnd(member)) });
      const context = category === undefined ? list.context : { ...list.context, category };
      return { ...this.#toList('skill', records, values), context };
    });
  }

  #toList(kind: SkillKind, spans: RecordSpans, values: Values): RecordList {
    return { spans, superseded: this.#reader.findSuperseded(spans), context: toContext(kind, values, this.#address) };
  }

  #mostLookLikeSkills(members: RecordSpans, superseded: ReadonlySet<number>): boolean {
    let skills = 0;
    for (let span = 0; span < members.count; span++) {
      if (!superseded.has(span) && isRecord(this.#reader.textsOf(members.start(span)))) skills++;
    }
    return skills * 2 > members.count - superseded.size;
  }

  /** The lists of a root array. */
  findInList(spans: RecordSpans): RecordList[] {
    return this.#areGroups(spans) ? this.#readGroups(spans, {}, false) : [this.#toList('skill', spans, {})];
  }
}

function tooManyGroups(): UpstreamError {
  return new UpstreamError('unknown_shape', `The file contains more than ${MAX_GROUPS} groups`);
}

/** Whether an object with these texts looks like a record. */
function isRecord(texts: ReadonlySet<string>): boolean {
  return texts.has('name') || texts.has('description');
}

/** Whether an object with these texts looks like an entry of a catalogue. */
function isListed(texts: ReadonlySet<string>): boolean {
  return NAMES.some((name) => texts.has(name)) && DESCRIBED.some((name) => texts.has(name));
}

function isDescribed(texts: ReadonlySet<string>): boolean {
  return NAMES.some((name) => texts.has(name)) && texts.has('description');
}
