import { foldName } from '../../index/words/fold.ts';
import type { Skill } from '../../skills/skill.ts';
import { digestOf } from '../http/entity-tag.ts';
import type { RequestContext } from '../http/request-context.ts';
import { encodeSmall, sendSmall } from '../http/small-body.ts';
import type { Served } from '../served.ts';
import type { SuggestionQuery } from './contract.ts';

const DEFAULT_LIMIT = 10;

/** `GET /api/suggestions` */
export async function sendSuggestions(
  context: RequestContext,
  { q, limit = DEFAULT_LIMIT }: SuggestionQuery,
): Promise<undefined> {
  const { served, cache } = context;
  const key = `suggestions ${limit} ${q}`;
  const { json, digest } = await cache.result(served, key, () => suggest(served, q, limit));
  return sendSmall(context, digest, (wanted) =>
    cache.result(served, `${wanted} ${key}`, () => encodeSmall(json, wanted)),
  );
}

function suggest({ search, skills }: Served, q: string, limit: number) {
  const suggestions = search.suggest(q, limit).map((suggestion) => {
    if (suggestion.kind !== 'skill') return suggestion;
    const skill = skills.skillAt(suggestion.row);
    return { text: matchingName(skill, q), kind: suggestion.kind, id: skill.id };
  });
  const json = Buffer.from(JSON.stringify({ suggestions }));
  return { json, digest: digestOf(json), bytes: json.length };
}

/** The name that begins with the text; skills match by their display names, too. */
function matchingName({ name, display_name }: Skill, q: string): string {
  return foldName(name).startsWith(foldName(q)) ? name : display_name;
}
