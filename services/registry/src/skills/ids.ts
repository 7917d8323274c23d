import { hash } from 'node:crypto';
import type { Skill } from './skill.ts';

const MAX_LENGTH = 160;
/** Whatever the characters below stand for is lost in the id: a digest keeps different texts different. */
const LOSES_LETTERS = /[^\p{ASCII}]/u;
/** Most texts: the slashes are all there is to change. */
const PLAIN = /^\w(?:[\w.-]*\w)?(?:\/\w(?:[\w.-]*\w)?)*$/;

/**
 * A URL-safe id of a text whose parts are separated by slashes: `owner/repo/my skill` → `owner~repo~my-skill`. Letters
 * beyond ASCII are replaced by eight digits of the text's SHA-256. Empty when nothing is left.
 */
export function toId(text: string): string {
  if (text.length <= MAX_LENGTH && PLAIN.test(text)) return text.replaceAll('/', '~');
  const parts = text.normalize('NFKC').split('/').map(toPart).filter(Boolean);
  const id = parts.join('~');
  if (LOSES_LETTERS.test(text)) return [id.slice(0, MAX_LENGTH), digest(text)].filter(Boolean).join('-');
  return id.length <= MAX_LENGTH ? id : `${id.slice(0, MAX_LENGTH)}-${digest(text)}`;
}

/** Dots and dashes at the ends go: a path segment of dots means another path. */
function toPart(part: string): string {
  return part.replace(/[^\w.-]+/g, '-').replace(/^[-.]+|(?<![-.])[-.]+$/g, '');
}

/**
 * What tells apart skills of the same id, and stays when they change. `host` is that of a repository that is not on
 * GitHub.
 */
export function identityOf(
  { name, source }: Pick<Skill, 'name' | 'source'>,
  upstreamId: string | undefined,
  host?: string,
): string {
  return JSON.stringify([upstreamId, name, source.repo, source.path, host].slice(0, host === undefined ? 4 : 5));
}

/**
 * Gives ids to skills whose own one goes to another skill: with a digest of what tells them apart, and a number if need
 * be.
 */
export class OtherIds {
  readonly #isTaken: (id: string) => boolean;
  readonly #given = new Set<string>();
  readonly #lastNumbers = new Map<string, number>();

  /** `isTaken` tells the ids that skills have by right. */
  constructor(isTaken: (id: string) => boolean) {
    this.#isTaken = isTaken;
  }

  claim(base: string, identity: string): string {
    const wanted = `${base}~${digest(identity)}`;
    let number = this.#lastNumbers.get(wanted) ?? 0;
    let id: string;
    do {
      number++;
      id = number === 1 ? wanted : `${wanted}~${number}`;
    } while (this.#isTaken(id) || this.#given.has(id));
    this.#lastNumbers.set(wanted, number);
    this.#given.add(id);
    return id;
  }
}

function digest(text: string): string {
  return hash('sha256', text).slice(0, 8);
}
