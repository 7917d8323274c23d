import { hashText } from '../memory/cyrb53.ts';
import type { Draft } from '../normalise/normalise.ts';
import { isListed } from '../skills/skill.ts';
import type { RecordValues } from './record-columns.ts';

const SKILL_FILE = 'SKILL.md';

/**
 * Hashes of a record for `groupRecords`; 0 stands for a missing text. The group key is that of host, repository and
 * name, else name, description, author and `unknownRepository`; of the kind, too, if that is not listed. `name` is
 * folded.
 */
export function hashDraft(draft: Draft, name: string, [seed, otherSeed]: readonly [number, number]): RecordValues {
  const { skill, upstreamId, host, unknownRepository } = draft;
  const { repo, path, url } = skill.source;
  const texts =
    repo === null
      ? ['text', skill.name, skill.description, skill.author, unknownRepository ?? null]
      : ['repository', host ?? null, repo.toLowerCase(), name];
  const text = JSON.stringify(isListed(skill.kind) ? texts : [...texts, skill.kind]);
  return {
    groupKey: hashText(text, seed),
    groupKeyCheck: hashText(text, otherSeed),
    path: hash(repo === null ? url : path && comparedPath(path), seed),
    description: hash(skill.description, seed),
    upstreamId: hash(upstreamId, seed),
  };
}

function hash(text: string | null | undefined, seed: number): number {
  return text ? hashText(text, seed) : 0;
}

/** Normalizes a path: without `./`, SKILL.md and trailing slashes. The root (`.`) differs from no path. */
function comparedPath(path: string): string {
  let end = path.length;
  if (path.endsWith(SKILL_FILE) && (end === SKILL_FILE.length || path[end - SKILL_FILE.length - 1] === '/')) {
    end -= SKILL_FILE.length;
  }
  while (end > 0 && path[end - 1] === '/') end--;
  let start = 0;
  while (path.startsWith('./', start)) start += 2;
  return path.slice(start, end) || '.';
}
