import type { Skill } from '../../skills/skill.ts';
import { isOnGitHub } from '../../skills/skill-file.ts';
import { TimeSlice } from '../../time-slice.ts';
import { digestOf } from '../http/entity-tag.ts';
import type { RequestContext } from '../http/request-context.ts';
import { encodeSmall, sendSmall } from '../http/small-body.ts';
import type { Served } from '../served.ts';
import type { FoundSkills, SearchApiQuery } from './contract.ts';

const DEFAULT_LIMIT = 20;
/** Matches that are searched for an owner. */
const MAX_MATCHES = 10_000;
/** Rows between two checks of the time slice. */
const ROWS_PER_CHECK = 16;

/** `GET /api/search` */
export async function sendFound(context: RequestContext, query: SearchApiQuery): Promise<undefined> {
  const { served, cache } = context;
  const key = `search ${JSON.stringify([query.q, query.owner, query.limit])}`;
  const { json, digest } = await cache.result(served, key, () => search(served, query));
  return sendSmall(context, digest, (wanted) =>
    cache.result(served, `${wanted} ${key}`, () => encodeSmall(json, wanted)),
  );
}

async function search({ search, skills }: Served, { q, owner, limit = DEFAULT_LIMIT }: SearchApiQuery) {
  const most = owner === undefined ? limit : MAX_MATCHES;
  const { rows } = search.find({ q, kinds: ['skill'], skip: 0, limit: most });
  const slice = new TimeSlice();
  const found: FoundSkills['skills'] = [];
  for (let at = 0; at < rows.length && found.length < limit; at++) {
    const skill = skills.skillAt(rows[at] as number);
    if (owner === undefined || isOwnedBy(skill, owner)) found.push(toFound(skill));
    if (at % ROWS_PER_CHECK === 0 && slice.isOver()) await slice.next();
  }
  const body: FoundSkills = { query: q, count: found.length, skills: found };
  const json = Buffer.from(JSON.stringify(body));
  return { json, digest: digestOf(json), bytes: json.length };
}

function isOwnedBy({ source: { repo } }: Skill, owner: string): boolean {
  return repo?.toLowerCase().startsWith(`${owner}/`) ?? false;
}

function toFound({ id, name, downloads, source }: Skill): FoundSkills['skills'][number] {
  return { id, name, installs: downloads ?? 0, source: isOnGitHub(source) ? (source.repo ?? '') : '' };
}
