import { type Binding, bind, json, type Tag } from '@agent-fleet/shared/contract/operation';
import { unavailable } from '@agent-fleet/shared/http/errors';
import type { Request, Response } from 'express';
import type { Served } from './publish/served.ts';
import type { Snapshots } from './publish/snapshots.ts';
import type { ResponseCache } from './serve/caching/response-cache.ts';
import { listCategories } from './serve/categories/contract.ts';
import { listChanges, readFeed } from './serve/changes/contract.ts';
import { sendChanges, sendFeed } from './serve/changes/handlers.ts';
import { BodyStreams } from './serve/http/body-streams.ts';
import { chooseFile, sendRawFile } from './serve/http/raw-file.ts';
import { sendRepresentation } from './serve/http/send.ts';
import { sendList, sendSkill } from './serve/lists/handlers.ts';
import { listSkills } from './serve/lists/list-contract.ts';
import { getSkill } from './serve/lists/skill-contract.ts';
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

/** The table of contents: every operation and its handler. Responses stored in `responseCache` are served from it. */
export function createBindings(snapshots: Snapshots, refreshMs: number, responseCache: ResponseCache): Binding[] {
  const streams = new BodyStreams();
  const served = () => requireServed(snapshots);
  return [
    bind(listSkills, ({ query, req, res }) => sendList(served(), query, req, res, streams, responseCache)),
    bind(getSkill, ({ params, req, res }) => sendSkill(served(), params.skill_id, req, res)),
    bind(listCategories, ({ req, res }) => sendWhole(served(), 'categories', req, res, responseCache)),
    bind(listSuggestions, ({ query, req, res }) => sendSuggestions(served(), query, req, res)),
    bind(listChanges, ({ query, req, res }) => sendChanges(served(), query, req, res)),
    bind(readFeed, ({ req, res }) => sendFeed(served(), req, res, responseCache)),
    bind(readWellKnownIndex, ({ req, res }) => sendWhole(served(), 'wellKnown', req, res, responseCache)),
    bind(getRegistryFile, ({ query, req, res }) => {
      const { registryFiles, meta } = served();
      const [label, file] = chooseFile(registryFiles, query.source);
      const fetchedAt = meta.sources.find((source) => source.label === label)?.fetchedAt ?? meta.at;
      return sendRawFile(req, res, file, fetchedAt, streams);
    }),
    bind(getRegistryStatus, () =>
      json(describeStatus(served(), snapshots, refreshMs), 200, { 'cache-control': 'no-store' }),
    ),
  ];
}

function sendWhole(
  served: Served,
  body: 'categories' | 'wellKnown',
  req: Request,
  res: Response,
  responseCache: ResponseCache,
): undefined {
  responseCache.store(served, req, res, sendRepresentation(req, res, served[body], served.meta.at));
}

function requireServed({ served }: Snapshots): Served {
  if (served === undefined) throw unavailable('No registry file could be read yet', RETRY_SECONDS);
  return served;
}
