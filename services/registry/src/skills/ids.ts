import { hash } from 'node:crypto';
import type { Report } from './report.ts';
import { compareTexts } from './text.ts';

const MAX_LENGTH = 160;
/** Whatever the characters below stand for is lost in the id: a digest keeps different texts different. */
const LOSES_LETTERS = /[^\p{ASCII}]/u;

/**
 * A URL-safe id of a text whose parts are separated by slashes: `owner/repo/my skill` → `owner~repo~my-skill`. Letters beyond ASCII
 * are replaced by eight digits of the text's SHA-256. Empty when nothing is left.
 */
export function toId(text: string): string {
  const parts = text.normalize('NFKC').split('/').map(toPart).filter(Boolean);
  const id = parts.join('~');
  if (LOSES_LETTERS.test(text)) return [id.slice(0, MAX_LENGTH), digest(text)].filter(Boolean).join('-');
  return id.length <= MAX_LENGTH ? id : `${id.slice(0, MAX_LENGTH)}-${digest(text)}`;
}

/** Dots and dashes at the ends go: a path segment of dots means another path. */
function toPart(part: string): string {
  return part.replace(/[^\w.-]+/g, '-').replace(/^[-.]+|[-.]+$/g, '');
}

function digest(text: string): string {
  return hash('sha256', text).slice(0, 8);
}

/** What an id is made of: `base` by preference, `identity` tells apart skills of the same base. */
export interface Identified {
  base: string;
  identity: string;
}

/**
 * One unique id for each skill, in their order. Of several with the same base the one with the least identity keeps it and the others
 * get a digest of theirs, so that ids do not depend on the order of the file.
 */
export function assignIds(skills: readonly Identified[], report: Report): string[] {
  const ids = new Array<string>(skills.length);
  const identityOf = (at: number) => skills[at]?.identity ?? '';
  const taken = new Set(skills.map(({ base }) => base));
  for (const [base, group] of Map.groupBy(skills.keys(), (at) => (skills[at] as Identified).base)) {
    const [first, ...others] = group.toSorted((a, b) => compareTexts(identityOf(a), identityOf(b)));
    ids[first as number] = base;
    for (const at of others) ids[at] = claim(`${base}~${digest(identityOf(at))}`, taken);
    if (others.length > 0) report.warn('id_doubled', others.length);
  }
  return ids;
}

/** Records that are the same in everything are told apart by their number. */
function claim(wanted: string, taken: Set<string>): string {
  let id = wanted;
  for (let number = 2; taken.has(id); number++) id = `${wanted}~${number}`;
  taken.add(id);
  return id;
}
