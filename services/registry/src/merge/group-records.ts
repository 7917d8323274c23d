import { HashTable } from '../memory/hash-table.ts';
import { FLAGS, type RecordColumns } from './record-columns.ts';

/** Maximum number of skills of one group key and path that a record is compared with. */
const MAX_CANDIDATES = 64;
/** Same description and id. */
const BEST_SCORE = 3;

/** Records of the same skill. Groups are in the order of their first records, and so are the records of a group. */
export interface RecordGroups {
  count: number;
  /** The records of group `n` are `records` from `offsets[n]` up to `offsets[n + 1]`. */
  offsets: Uint32Array;
  records: Uint32Array;
}

/** Finds the records from `from` up to `to` that are the same skill by README.md, "The same skill". */
export function groupRecords(columns: RecordColumns, from = 0, to = columns.count): RecordGroups {
  const leaders = Uint32Array.from({ length: to - from }, (_, at) => from + at);
  for (const records of bucketsOf(columns, from, to)) {
    const hasRepository = (columns.flags[records[0]!]! & FLAGS.hasRepository) !== 0;
    const isOne = hasRepository && isOneSkill(columns, records);
    const finder = new SkillFinder(columns, hasRepository);
    for (const record of records) leaders[record - from] = isOne ? records[0]! : finder.find(record);
  }
  return toGroups(leaders, from);
}

/** The records of each group key that has more than one, in order. */
function bucketsOf({ groupKey, groupKeyCheck }: RecordColumns, from: number, to: number): Iterable<number[]> {
  const firsts = new HashTable(to - from);
  const buckets = new Map<number, number[]>();
  for (let record = from; record < to; record++) {
    const isSame = (other: number) => groupKeyCheck[other] === groupKeyCheck[record];
    const first = firsts.find(groupKey[record]!, isSame);
    if (first === undefined) firsts.add(groupKey[record]!, record);
    else if (!buckets.get(first)?.push(record)) buckets.set(first, [first, record]);
  }
  firsts.release();
  return buckets.values();
}

/**
 * Whether a repository has one skill of a name: one path, and records without a path. No source may tell two of its
 * records apart. Without any path, descriptions decide.
 */
function isOneSkill(columns: RecordColumns, records: readonly number[]): boolean {
  const paths = new Set(records.map((record) => columns.path[record]!));
  if (paths.size !== 2 || !paths.has(0)) return false;
  const bySource = new Map<number, Description>();
  return records.every((record) => {
    const source = columns.source[record]!;
    const now = describe(columns, record);
    const known = bySource.get(source);
    if (known && !isSameDescription(known, now)) return false;
    bySource.set(source, known && known.description !== 0 ? known : now);
    return true;
  });
}

/** How one source describes a skill. */
interface Description {
  source: number;
  upstreamId: number;
  description: number;
}

/** Within a source, two ids or descriptions are two skills. A missing description equals any. */
function isSameDescription(known: Description, now: Description): boolean {
  return known.upstreamId === now.upstreamId && isEqualOrMissing(known.description, now.description);
}

function isEqualOrMissing(one: number, other: number): boolean {
  return one === other || one === 0 || other === 0;
}

function describe({ source, upstreamId, description }: RecordColumns, record: number): Description {
  return {
    source: source[record]!,
    upstreamId: upstreamId[record]!,
    description: description[record]!,
  };
}

interface KnownSkill {
  leader: number;
  /** Its path, 0 for that of records without one, or both. */
  paths: Set<number>;
  /** Hash of the first known description. */
  description: number;
  bySource: Description[];
}

/** Finds the skill of each record of one group key, record by record. */
class SkillFinder {
  readonly #columns: RecordColumns;
  readonly #hasRepository: boolean;
  /** By path; without a repository all under 0. */
  readonly #byPath = new Map<number, KnownSkill[]>();
  /** Skills with a path by description, for records without one; and the reverse. */
  readonly #withPath = new Map<number, KnownSkill[]>();
  readonly #withoutPath = new Map<number, KnownSkill[]>();

  constructor(columns: RecordColumns, hasRepository: boolean) {
    this.#columns = columns;
    this.#hasRepository = hasRepository;
  }

  /** The first record of the skill. */
  find(record: number): number {
    const now = describe(this.#columns, record);
    const path = this.#hasRepository ? this.#columns.path[record]! : 0;
    const skill = this.#hasRepository ? this.#findByPath(path, now) : this.#findByText(record, now);
    if (skill) this.#note(skill, now);
    const found = skill ?? { leader: record, paths: new Set(), description: now.description, bySource: [now] };
    if (!found.paths.has(path)) this.#add(path, found);
    return found.leader;
  }

  #findByPath(path: number, now: Description): KnownSkill | undefined {
    let best: KnownSkill | undefined;
    let bestScore = -1;
    for (const skill of this.#byPath.get(path)?.slice(0, MAX_CANDIDATES) ?? []) {
      const score = this.#isSame(skill, now, path !== 0) ? this.#scoreOf(skill, now) : -1;
      if (score > bestScore) [best, bestScore] = [skill, score];
      if (score === BEST_SCORE) break;
    }
    if (best || now.description === 0) return best;
    const others = (path === 0 ? this.#withPath : this.#withoutPath).get(now.description);
    return others?.slice(0, MAX_CANDIDATES).find((skill) => {
      const hasOtherPath = path !== 0 && skill.paths.size > 1;
      return !hasOtherPath && this.#isSame(skill, now, false);
    });
  }

  #isSame(skill: KnownSkill, now: Description, hasSamePath: boolean): boolean {
    const known = skill.bySource.find(({ source }) => source === now.source);
    if (known) return isSameDescription(known, now);
    return hasSamePath || isEqualOrMissing(skill.description, now.description);
  }

  /** Several skills of one path may match a record of another source. */
  #scoreOf(skill: KnownSkill, now: Description): number {
    const [first] = skill.bySource;
    return (skill.description === now.description ? 2 : 0) + (first?.upstreamId === now.upstreamId ? 1 : 0);
  }

  /** Without a repository, the text is equal: the id or the URL has to be, too. */
  #findByText(record: number, now: Description): KnownSkill | undefined {
    const { path: urls, upstreamId: ids } = this.#columns;
    const url = urls[record]!;
    const candidates = this.#byPath.get(0)?.slice(0, MAX_CANDIDATES) ?? [];
    const hasId = ({ leader }: KnownSkill) => now.upstreamId !== 0 && ids[leader] === now.upstreamId;
    return candidates.find(hasId) ?? candidates.find(({ leader }) => url !== 0 && urls[leader] === url);
  }

  #note(skill: KnownSkill, now: Description): void {
    const known = skill.bySource.find(({ source }) => source === now.source);
    if (known === undefined) skill.bySource.push(now);
    else if (known.description === 0) known.description = now.description;
    if (skill.description === 0) skill.description = now.description;
  }

  #add(path: number, skill: KnownSkill): void {
    skill.paths.add(path);
    addTo(this.#byPath, path, skill);
    addTo(path === 0 ? this.#withoutPath : this.#withPath, skill.description, skill);
  }
}

function addTo(skills: Map<number, KnownSkill[]>, key: number, skill: KnownSkill): void {
  if (!skills.get(key)?.push(skill)) skills.set(key, [skill]);
}

function toGroups(leaders: Uint32Array, from: number): RecordGroups {
  const sizes = new Uint32Array(leaders.length);
  let count = 0;
  for (const leader of leaders) {
    const size = sizes[leader - from]! + 1;
    sizes[leader - from] = size;
    if (size === 1) count++;
  }
  const offsets = new Uint32Array(count + 1);
  const next = new Uint32Array(leaders.length);
  let group = 0;
  for (let at = 0; at < leaders.length; at++) {
    if (sizes[at] === 0) continue;
    next[at] = offsets[group]!;
    offsets[group + 1] = offsets[group]! + sizes[at]!;
    group++;
  }
  const records = new Uint32Array(leaders.length);
  for (let at = 0; at < leaders.length; at++) {
    const leader = leaders[at]! - from;
    records[next[leader]!] = from + at;
    next[leader]!++;
  }
  return { count, offsets, records };
}
