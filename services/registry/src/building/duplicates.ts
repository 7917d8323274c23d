import { randomInt } from 'node:crypto';
import type { Draft } from '../skills/normalise.ts';
import type { CollectedSkills } from './collected-skills.ts';
import { hashText } from './hash-53.ts';
import { HashTable } from './hash-table.ts';

/** Another one in each process, so that nobody can write records that all collide. No result depends on it: what is found is compared. */
const SEED = randomInt(2 ** 31);

/** What one source says of a skill, as far as it tells two skills of one place apart. */
interface Said {
  source: number;
  upstreamId: string | undefined;
  description: string;
}

/** Finds a record that says the same skill again. */
export class Duplicates {
  readonly #skills: CollectedSkills;
  readonly #records = new HashTable();
  /** Of the draft that was looked for last. */
  #keys: number[] = [];
  /** By record: what the sources said of it whose records went into it. */
  readonly #merged = new Map<number, Said[]>();

  constructor(skills: CollectedSkills) {
    this.#skills = skills;
  }

  /**
   * The collected record that is the same skill as `draft`: of the same repository, path and name, where there is no path also of the same
   * description, and within one source of the same description and id; where there is no repository, the same in name, description, author and in upstream's id or the address. `name` is the folded
   * one. Where there is none, `record`, which is to be collected next, becomes one to be found.
   */
  findOrAdd(draft: Draft, name: string, source: number, record: number): number | undefined {
    const found = draft.skill.source.repo === null ? this.#findByText(draft) : this.#findByPlace(draft, name, source);
    if (found !== undefined) return found;
    for (const key of this.#keys) this.#records.add(key, record);
    return undefined;
  }

  #findByPlace(draft: Draft, name: string, source: number): number | undefined {
    const key = placeKey(draft, name);
    this.#keys = [key];
    return this.#records.find(key, (record) => this.#isSamePlace(record, draft, name, source));
  }

  #findByText(draft: Draft): number | undefined {
    const [byId, byUrl] = [idKey(draft), urlKey(draft)];
    this.#keys = [byId, byUrl].filter((key) => key !== undefined);
    const found = byId && this.#records.find(byId, (record) => this.#isSameText(record, draft, 'id'));
    if (found !== undefined) return found;
    return byUrl && this.#records.find(byUrl, (record) => this.#isSameText(record, draft, 'url'));
  }

  #isSamePlace(record: number, { skill, upstreamId }: Draft, name: string, source: number): boolean {
    const skills = this.#skills;
    if (skills.names[record] !== name) return false;
    const other = skills.skillOf(record);
    const { repo, path } = other.source;
    if (repo?.toLowerCase() !== skill.source.repo?.toLowerCase()) return false;
    if ((path ?? '') !== (skill.source.path ?? '')) return false;
    const said = this.#saidBy(source, record);
    if (said === undefined) return skill.source.path !== null || isSameDescription(skill, other);
    // A registry that lists two skills of one folder under two ids, or describes them differently, means two.
    return isSameDescription(skill, said ?? other) && (said ?? this.#ownOf(record)).upstreamId === upstreamId;
  }

  /** Notes that `draft` went into `record`. Whether the same source had told of it before. */
  merge(record: number, { skill, upstreamId }: Draft, source: number): boolean {
    const isKnown = this.#saidBy(source, record) !== undefined;
    if (!isKnown) {
      const said = { source, upstreamId, description: skill.description };
      this.#merged.set(record, [...(this.#merged.get(record) ?? []), said]);
    }
    return isKnown;
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

  #isSameText(record: number, { skill, upstreamId }: Draft, by: 'id' | 'url'): boolean {
    const other = this.#skills.skillOf(record);
    const isSame = other.source.repo === null && textOf(other) === textOf(skill);
    if (!isSame) return false;
    return by === 'url' ? other.source.url === skill.source.url : this.#skills.upstreamIdOf(record) === upstreamId;
  }
}

/** One that is missing fits any. */
function isSameDescription(one: { description: string }, other: { description: string }): boolean {
  return one.description === other.description || one.description === '' || other.description === '';
}

function placeKey({ skill: { source } }: Draft, name: string): number {
  return hashText(`${source.repo?.toLowerCase()}\n${source.path ?? ''}\n${name}`, SEED);
}

function idKey({ skill, upstreamId }: Draft): number | undefined {
  return upstreamId === undefined ? undefined : hashText(`id\n${upstreamId}\n${textOf(skill)}`, SEED);
}

function urlKey({ skill }: Draft): number | undefined {
  return skill.source.url === null ? undefined : hashText(`url\n${skill.source.url}\n${textOf(skill)}`, SEED);
}

function textOf({ name, description, author }: Draft['skill']): string {
  return JSON.stringify([name, description, author]);
}
