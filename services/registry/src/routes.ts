import { type Binding, bind, json, type Tag } from '@agent-fleet/shared/contract/operation';
import { unavailable } from '@agent-fleet/shared/http/errors';
import type { Snapshots } from './publish/snapshots.ts';
import type { ResponseCache } from './serve/caching/response-cache.ts';
import { listCategories } from './serve/categories/contract.ts';
import { listChanges, readFeed } from './serve/changes/contract.ts';
import { FEED_TYPE } from './serve/changes/feed.ts';
import { sendChanges } from './serve/changes/handlers.ts';
import { BodyStreams } from './serve/http/body-streams.ts';
import { chooseFile } from './serve/http/raw-file.ts';
import type { RequestContext } from './serve/http/request-context.ts';
import { respondCoded, sendCoded } from './serve/http/send-coded.ts';
import { sendList, sendSkill } from './serve/lists/handlers.ts';
import { listSkills } from './serve/lists/list-contract.ts';
import { getSkill } from './serve/lists/skill-contract.ts';
import { searchSkills } from './serve/search-api/contract.ts';
import { sendFound } from './serve/search-api/handlers.ts';
import type { Served } from './serve/served.ts';
import { readSkillFile, readSkillIndex } from './serve/skill-file/contract.ts';
import { sendSkillFile, sendSkillIndex } from './serve/skill-file/handlers.ts';
import type { SkillFiles } from './serve/skill-file/skill-files.ts';
import { getRegistryFile, getRegistryStatus } from './serve/status/contract.ts';
import { describeStatus } from './serve/status/status.ts';
import { listSuggestions } from './serve/suggestions/contract.ts';
import { sendSuggestions } from './serve/suggestions/handlers.ts';
import { readWellKnownIndex } from './serve/well-known/contract.ts';

/** The tags of the OpenAPI document. */
export const TAGS: Tag[] = [
  { name: 'Registry', description: 'The public registry of skills: search, categories, changes and the raw files.' },
];

const RETRY_SECONDS = 5;

/** The table of contents: every operation and its handler. */
export function createBindings(
  snapshots: Snapshots,
  refreshMs: number,
  cache: ResponseCache,
  files: SkillFiles,
): Binding[] {
  const streams = new BodyStreams();
  const served = () => requireServed(snapshots);
  const contextOf = ({ req, res }: Pick<RequestContext, 'req' | 'res'>) => ({
    served: served(),
    req,
    res,
    cache,
    streams,
  });
  return [
    bind(listSkills, (input) => sendList(contextOf(input), input.query)),
    bind(getSkill, (input) => sendSkill(contextOf(input), input.params.skill_id)),
    bind(readSkillFile, (input) => sendSkillFile(contextOf(input), input.params.skill_id, files)),
    bind(readSkillIndex, (input) => sendSkillIndex(contextOf(input), input.params.skill_id, files)),
    bind(searchSkills, (input) => sendFound(contextOf(input), input.query)),
    bind(listCategories, (input) => sendCoded(contextOf(input), 'categories')),
    bind(listSuggestions, (input) => sendSuggestions(contextOf(input), input.query)),
    bind(listChanges, (input) => sendChanges(contextOf(input), input.query)),
    bind(readFeed, (input) => sendCoded(contextOf(input), 'feed', FEED_TYPE)),
    bind(readWellKnownIndex, (input) => sendCoded(contextOf(input), 'wellKnown')),
    bind(getRegistryFile, async ({ query, req, res }) => {
      const { registryFiles, meta } = served();
      const [label, file] = chooseFile(registryFiles, query.source);
      const fetchedAt = meta.sources.find((source) => source.label === label)?.fetchedAt ?? meta.at;
      await respondCoded(req, res, streams, file, fetchedAt);
      return undefined;
    }),
    bind(getRegistryStatus, () =>
      json(describeStatus(served(), snapshots, refreshMs), 200, { 'cache-control': 'no-store' }),
    ),
  ];
}

function requireServed({ served }: Snapshots): Served {
  if (served === undefined)
    throw unavailable('No registry file could be read yet', RETRY_SECONDS, undefined, 'no_snapshot');
  return served;
}
