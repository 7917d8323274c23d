import { randomInt } from 'node:crypto';
import type { Draft } from '../skills/normalise.ts';
import type { CollectedSkills } from './collected-skills.ts';
import { hashText } from './cyrb53.ts';
import { HashTable } from './hash-table.ts';

/**
 * Others in each process, so that nobody can write records that all collide. Texts are the same when both hashes are:
 * 106 bits.
 */
const [SEED, OTHER_SEED] = [randomInt(2 ** 31), randomInt(2 ** 31)];
/**
 * Skills of one origin and name that can be found again: a folder that is said to hold more is no reason to compare
 * each with all.
 */
const MAX_CANDIDATES = 64;
const SKILL_FILE = 'SKILL.md';
/** The same description and id. */
const MOST_LIKE = 3;

/** What one source says of a skill, as far as it tells two skills of one origin apart. */
interface Said {
  source: number;
  upstreamId: string | undefined;
  /** Hash; 0 of none. */
  description: number;
}

/** Finds a record that says the same skill again. */
export class Duplicates {
  readonly #skills: CollectedSkills;
  readonly #records = new HashTable();
  /** Of the draft that was looked for last: where it is to be found, unless as many are there already. */
  #keys: number[] = [];
  #origin = 0;
  #description = 0;
  /** By record: what the sources said of it whose records went into it. */
  readonly #merged = new Map<number, Said[]>();

  constructor(skills: CollectedSkills) {
    this.#skills = skills;
  }

  /**
   * The collected record that is the same skill as `draft`: of the same host, repository, path and name, where there is
   * no path also of the same description, and within one source of the same description and id, of several the one most
   * like it; where there is no repository, the same in name, description, author and in upstream's id or the address.
   * `name` is the folded one.
   */
  find(draft: Draft, name: string, source: number): number | undefined {
    this.#keys = [];
    this.#description = toMark(draft.skill.description);
    return draft.skill.source.repo === null ? this.#findByText(draft) : this.#findByOrigin(draft, name, source);
  }

  /** Lets the draft that was looked for last be found as `record`. */
  add(record: number): void {
    const { columns } = this.#skills;
    columns.origin[record] = this.#origin;
    columns.description[record] = this.#description;
    for (const key of this.#keys) this.#records.add(key, record);
  }

  /**
   * Notes that the draft that was looked for last went into `record`. Whether the same source had told of it before.
   */
  merge(record: number, { upstreamId }: Draft, source: number): boolean {
    const { columns } = this.#skills;
    const said = this.#saidBy(source, record);
    if (said === undefined) {
      const first = { source, upstreamId, description: this.#description };
      this.#merged.set(record, [...(this.#merged.get(record) ?? []), first]);
    } else if (said?.description === 0) said.description = this.#description;
    if (columns.description[record] === 0) columns.description[record] = this.#description;
    return said !== undefined;
  }

  #findByOrigin(draft: Draft, name: string, source: number): number | undefined {
    const origin = `${draft.host ?? ''}\n${draft.skill.source.repo?.toLowerCase()}\n${comparedPath(draft.skill.source.path)}\n${name}`;
    this.#origin = hashText(origin, OTHER_SEED);
    let best: number | undefined;
    let likeness = -1;
    this.#findAt(hashText(origin, SEED), (record) => {
      const found = this.#isSameOrigin(record, draft, source) ? this.#likeness(record, draft) : -1;
      if (found > likeness) [best, likeness] = [record, found];
      return found === MOST_LIKE;
    });
    return best;
  }

  /** Of several skills of one origin another source may tell any. */
  #likeness(record: number, { upstreamId }: Draft): number {
    const isDescribedSo = this.#skills.columns.description[record] === this.#description;
    return (isDescribedSo ? 2 : 0) + (this.#skills.upstreamIdOf(record) === upstreamId ? 1 : 0);
  }

  #findByText({ skill, upstreamId }: Draft): number | undefined {
    const text = JSON.stringify([skill.name, skill.description, skill.author]);
    const { url } = skill.source;
    this.#origin = hashText(text, OTHER_SEED);
    const isSameText = (record: number) => this.#skills.columns.origin[record] === this.#origin;
    const byId =
      upstreamId === undefined ? undefined : this.#findAt(hashText(`id\n${upstreamId}\n${text}`, SEED), isSameText);
    return byId ?? (url === null ? undefined : this.#findAt(hashText(`url\n${url}\n${text}`, SEED), isSameText));
  }

  #findAt(key: number, isSame: (record: number) => boolean): number | undefined {
    let candidates = 0;
    const found = this.#records.find(key, (record) => {
      candidates++;
      return isSame(record);
    });
    if (candidates < MAX_CANDIDATES) this.#keys.push(key);
    return found;
  }

  #isSameOrigin(record: number, { skill, upstreamId }: Draft, source: number): boolean {
    const { columns } = this.#skills;
    if (columns.origin[record] !== this.#origin) return false;
    const said = this.#saidBy(source, record);
    const other = said?.description ?? (columns.description[record] as number);
    if (said === undefined && skill.source.path !== null) return true;
    // One that is missing fits any.
    if (other !== this.#description && other !== 0 && this.#description !== 0) return false;
    // A registry that lists two skills of one folder under two ids, or describes them differently, means two.
    return said === undefined || (said ?? this.#ownOf(record)).upstreamId === upstreamId;
  }

  /** Null for what the record itself says; undefined when this source has told nothing of it. */
  #saidBy(source: number, record: number): Said | null | undefined {
    const { registries, columns } = this.#skills;
    if (registries.firstOf(columns.registries[record] as number) === source) return null;
    return this.#merged.get(record)?.find((said) => said.source === source);
  }

  #ownOf(record: number): Pick<Said, 'upstreamId'> {
    return { upstreamId: this.#skills.upstreamIdOf(record) };
  }
}

function toMark(description: string): number {
  return description === '' ? 0 : hashText(description, SEED);
}

/**
 * Registries name a skill's folder with or without the file in it, and `./` in front; the root is another origin than
 * none.
 */
function comparedPath(path: string | null): string {
  if (path === null) return '';
  let end = path.length;
  if (path.endsWith(SKILL_FILE) && (end === SKILL_FILE.length || path[end - SKILL_FILE.length - 1] === '/')) {
    end -= SKILL_FILE.length;
  }
  while (end > 0 && path[end - 1] === '/') end--;
  let start = 0;
  while (path.startsWith('./', start)) start += 2;
  return path.slice(start, end) || '.';
}
