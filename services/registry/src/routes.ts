import { type Binding, bind, json, type Tag } from '@agent-fleet/shared/contract/operation';
import { unavailable } from '@agent-fleet/shared/http/errors';
import type { Snapshots } from './publish/snapshots.ts';
import { listCategories } from './serve/categories.ts';
import { listChanges, sendChanges } from './serve/changes.ts';
import { FEED_TYPE, readFeed } from './serve/feed.ts';
import { BodyStreams } from './serve/http/body-streams.ts';
import { type RequestContext, sendCached } from './serve/http/send.ts';
import { getCatalogue, sendCatalogue } from './serve/lists/catalogue.ts';
import { listSkills, sendList } from './serve/lists/list.ts';
import { getSkill, sendSkill } from './serve/lists/skill.ts';
import type { ResponseCache } from './serve/response-cache.ts';
import { searchSkills, sendFound } from './serve/search-api.ts';
import type { Served } from './serve/served.ts';
import { readSkillFile, readSkillIndex, sendSkillFile, sendSkillIndex } from './serve/skill-file/skill-file.ts';
import type { SkillFiles } from './serve/skill-file/skill-files.ts';
import { getRegistryStatus } from './serve/status/contract.ts';
import { getRegistryFile, sendRegistryFile } from './serve/status/registry-file.ts';
import { describeStatus } from './serve/status/status.ts';
import { listSuggestions, sendSuggestions } from './serve/suggestions.ts';
import { readWellKnownIndex } from './serve/well-known.ts';

/** The tags of the OpenAPI document. */
export const TAGS: Tag[] = [
  { name: 'Registry', description: 'The public registry of skills: search, categories, changes and the raw files.' },
];

const RETRY_SECONDS = 5;

interface BindingOptions {
  snapshots: Snapshots;
  refreshMs: number;
  cache: ResponseCache;
  files: SkillFiles;
}

/** The table of contents: every operation and its handler. */
export function createBindings({ snapshots, refreshMs, cache, files }: BindingOptions): Binding[] {
  const streams = new BodyStreams();
  const contextOf = ({ req, res }: Pick<RequestContext, 'req' | 'res'>): RequestContext => {
    return { served: requireServed(snapshots), req, res, cache, streams };
  };
  const sendBody =
    (name: keyof Served['bodies'], contentType?: string) => (input: Pick<RequestContext, 'req' | 'res'>) => {
      const context = contextOf(input);
      return sendCached(context, context.served.bodies[name], contentType);
    };
  return [
    bind(listSkills, (input) => sendList(contextOf(input), input.query)),
    bind(getCatalogue, (input) => sendCatalogue(contextOf(input), input.query)),
    bind(getSkill, (input) => sendSkill(contextOf(input), input.params.skill_id)),
    bind(readSkillFile, (input) => sendSkillFile(contextOf(input), input.params.skill_id, files)),
    bind(readSkillIndex, (input) => sendSkillIndex(contextOf(input), input.params.skill_id, files)),
    bind(searchSkills, (input) => sendFound(contextOf(input), input.query)),
    bind(listCategories, sendBody('categories')),
    bind(listSuggestions, (input) => sendSuggestions(contextOf(input), input.query)),
    bind(listChanges, (input) => sendChanges(contextOf(input), input.query)),
    bind(readFeed, sendBody('feed', FEED_TYPE)),
    bind(readWellKnownIndex, sendBody('wellKnown')),
    bind(getRegistryFile, (input) => sendRegistryFile(contextOf(input), input.query.source)),
    bind(getRegistryStatus, () =>
      json(describeStatus(requireServed(snapshots), snapshots, refreshMs), 200, { 'cache-control': 'no-store' }),
    ),
  ];
}

function requireServed({ served }: Snapshots): Served {
  if (served === undefined)
    throw unavailable('No registry file could be read yet', RETRY_SECONDS, undefined, 'no_snapshot');
  return served;
}
