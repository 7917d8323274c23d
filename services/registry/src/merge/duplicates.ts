import { randomInt } from 'node:crypto';
import type { Draft } from '../normalise/normalise.ts';
import type { CollectedSkills } from './collected-skills.ts';
import { hashText } from './cyrb53.ts';
import { HashTable } from './hash-table.ts';

/** Random, so that records with colliding hashes cannot be prepared. Texts are equal if both hashes are: 106 bits. */
const [SEED, OTHER_SEED] = [randomInt(2 ** 31), randomInt(2 ** 31)];
/** Maximum number of skills with the same origin and name that are compared. */
const MAX_CANDIDATES = 64;
const SKILL_FILE = 'SKILL.md';
/** Same description and id. */
const BEST_SCORE = 3;

/** How one source describes a skill, to distinguish skills of the same origin. */
interface Description {
  source: number;
  upstreamId: string | undefined;
  /** Hash; 0 if it is empty. */
  description: number;
}

/** Finds records that repeat a skill. */
export class Duplicates {
  readonly #skills: CollectedSkills;
  readonly #records = new HashTable();
  /** Of the last draft: the keys to add it under. */
  #keys: number[] = [];
  #origin = 0;
  #description = 0;
  /** By record: descriptions by other sources whose records were merged into it. */
  readonly #merged = new Map<number, Description[]>();

  constructor(skills: CollectedSkills) {
    this.#skills = skills;
  }

  /** Finds the collected record that is the same skill as `draft`; the README has the rules. `name` is folded. */
  find(draft: Draft, name: string, source: number): number | undefined {
    this.#keys = [];
    this.#description = toMark(draft.skill.description);
    return draft.skill.source.repo === null ? this.#findByText(draft) : this.#findByOrigin(draft, name, source);
  }

  /** Makes the draft of the last `find` findable as `record`. */
  add(record: number): void {
    const { columns } = this.#skills;
    columns.origin[record] = this.#origin;
    columns.description[record] = this.#description;
    for (const key of this.#keys) this.#records.add(key, record);
  }

  /** Notes that the draft of the last `find` was merged into `record`. Returns whether its source repeats the skill. */
  merge(record: number, { upstreamId }: Draft, source: number): boolean {
    const { columns } = this.#skills;
    const known = this.#descriptionBy(source, record);
    if (known === undefined) {
      const first = { source, upstreamId, description: this.#description };
      this.#merged.set(record, [...(this.#merged.get(record) ?? []), first]);
    } else if (known?.description === 0) known.description = this.#description;
    if (columns.description[record] === 0) columns.description[record] = this.#description;
    return known !== undefined;
  }

  #findByOrigin(draft: Draft, name: string, source: number): number | undefined {
    const origin = `${draft.host ?? ''}\n${draft.skill.source.repo?.toLowerCase()}\n${comparedPath(draft.skill.source.path)}\n${name}`;
    this.#origin = hashText(origin, OTHER_SEED);
    let best: number | undefined;
    let bestScore = -1;
    this.#findAt(hashText(origin, SEED), (record) => {
      const score = this.#isSameOrigin(record, draft, source) ? this.#scoreOf(record, draft) : -1;
      if (score > bestScore) [best, bestScore] = [record, score];
      return score === BEST_SCORE;
    });
    return best;
  }

  /** Several skills of one origin may match a record of another source. */
  #scoreOf(record: number, { upstreamId }: Draft): number {
    const isSameDescription = this.#skills.columns.description[record] === this.#description;
    return (isSameDescription ? 2 : 0) + (this.#skills.upstreamIdOf(record) === upstreamId ? 1 : 0);
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
    const known = this.#descriptionBy(source, record);
    const other = known?.description ?? (columns.description[record] as number);
    if (known === undefined && skill.source.path !== null) return true;
    // A missing description equals any.
    if (other !== this.#description && other !== 0 && this.#description !== 0) return false;
    // Within a source, two ids or descriptions in one folder are two skills.
    return known === undefined || (known ? known.upstreamId : this.#skills.upstreamIdOf(record)) === upstreamId;
  }

  /** Null if the record itself is from this source; undefined if the source has no record of the skill. */
  #descriptionBy(source: number, record: number): Description | null | undefined {
    const { registries, columns } = this.#skills;
    if (registries.firstOf(columns.registries[record] as number) === source) return null;
    return this.#merged.get(record)?.find((one) => one.source === source);
  }
}

function toMark(description: string): number {
  return description === '' ? 0 : hashText(description, SEED);
}

/** Normalizes a path: without `./`, SKILL.md and trailing slashes. The root (`.`) differs from no path. */
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
