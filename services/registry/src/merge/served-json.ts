import type { Draft } from '../normalise/normalise.ts';
import { deriveInstall } from '../skills/install.ts';
import type { Skill } from '../skills/skill.ts';
import { FLAGS } from './record-columns.ts';

/** The part of a draft that the served JSON is written from. */
type Written = Pick<Draft, 'skill' | 'upstreamId' | 'host'>;

/** The served JSON of a skill, and the `FLAGS` that `parseServed` needs. `registries` are labels of sources. */
export function writeServed({ skill, upstreamId, host }: Written, id: string, registries: readonly string[]) {
  const { extra, ...rest } = skill;
  const hasAddedId = upstreamId !== undefined && upstreamId !== id && !Object.hasOwn(extra, 'id');
  const install = rest.install ?? deriveInstall(rest, host);
  const served = { id, ...rest, install, registries, extra: hasAddedId ? { id: upstreamId, ...extra } : extra };
  const flags = (hasAddedId ? FLAGS.hasAddedId : 0) | (install === rest.install ? 0 : FLAGS.hasDerivedInstall);
  return { json: JSON.stringify(served), flags };
}

/** The skill of a served JSON, as it was before it was written, and its id. */
export function parseServed(json: string, flags: number): { skill: Draft['skill']; id: string } {
  const { id, registries: _, ...skill } = JSON.parse(json) as Skill;
  if ((flags & FLAGS.hasAddedId) !== 0) delete skill.extra.id;
  if ((flags & FLAGS.hasDerivedInstall) !== 0) skill.install = null;
  return { skill, id };
}
