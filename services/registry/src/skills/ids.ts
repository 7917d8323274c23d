import { hash } from 'node:crypto';
import type { Skill } from './skill.ts';

const MAX_LENGTH = 160;
/** Such characters are lost in an id: a digest keeps different texts different. */
const LOSES_LETTERS = /[^\p{ASCII}]/u;
/** Fast path: in most texts only slashes are replaced. */
const PLAIN = /^\w(?:[\w.-]*\w)?(?:\/\w(?:[\w.-]*\w)?)*$/;

/**
 * Converts a text with parts separated by slashes to a URL-safe id: `owner/repo/my skill` becomes
 * `owner~repo~my-skill`. With letters beyond ASCII, eight digits of the SHA-256 of the text are appended.
 */
export function toId(text: string): string {
  if (text.length <= MAX_LENGTH && PLAIN.test(text)) return text.replaceAll('/', '~');
  const parts = text.normalize('NFKC').split('/').map(toPart).filter(Boolean);
  const id = parts.join('~');
  if (LOSES_LETTERS.test(text)) return [id.slice(0, MAX_LENGTH), digest(text)].filter(Boolean).join('-');
  return id.length <= MAX_LENGTH ? id : `${id.slice(0, MAX_LENGTH)}-${digest(text)}`;
}

/** Removes dots and dashes at the ends: a path segment of dots means another path. */
function toPart(part: string): string {
  return part.replace(/[^\w.-]+/g, '-').replace(/^[-.]+|(?<![-.])[-.]+$/g, '');
}

/** Distinguishes skills of the same id, and does not change. `host` is set for repositories outside GitHub. */
export function identityOf(
  { name, source }: Pick<Skill, 'name' | 'source'>,
  upstreamId: string | undefined,
  host?: string,
): string {
  return JSON.stringify([upstreamId, name, source.repo, source.path, host].slice(0, host === undefined ? 4 : 5));
}

/**
 * The result creates ids for skills whose own id belongs to another skill: with a digest, and a number if needed.
 * `isTaken` returns whether a skill keeps this id.
 */
export function createOtherIds(isTaken: (id: string) => boolean): (base: string, identity: string) => string {
  const given = new Set<string>();
  const lastNumbers = new Map<string, number>();
  return (base, identity) => {
    const wanted = `${base}~${digest(identity)}`;
    let number = lastNumbers.get(wanted) ?? 0;
    let id: string;
    do {
      number++;
      id = number === 1 ? wanted : `${wanted}~${number}`;
    } while (isTaken(id) || given.has(id));
    lastNumbers.set(wanted, number);
    given.add(id);
    return id;
  };
}

function digest(text: string): string {
  return hash('sha256', text).slice(0, 8);
}
