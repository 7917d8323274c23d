import { type Binding, bind, json } from '@agent-fleet/shared/contract/operation';
import { unavailable } from '@agent-fleet/shared/http/errors';
import type { Request, Response } from 'express';
import { listCategories } from './categories/contract.ts';
import { answerChanges, answerFeed } from './changes/answers.ts';
import { listChanges, readFeed } from './changes/contract.ts';
import { answerRepresentation } from './http/answer.ts';
import { BodyStreams } from './http/body-streams.ts';
import type { HotAnswers } from './http/hot-answers.ts';
import { answerRawFile, chooseFile } from './http/raw-file.ts';
import { answerList, answerSkill } from './skills/answers.ts';
import { listSkills } from './skills/list-contract.ts';
import { getSkill } from './skills/skill-contract.ts';
import { getRegistryFile, getRegistryStatus } from './snapshots/contract.ts';
import type { Served } from './snapshots/served.ts';
import type { Snapshots } from './snapshots/snapshots.ts';
import { describeStatus } from './snapshots/status.ts';
import { answerSuggestions } from './suggestions/answers.ts';
import { listSuggestions } from './suggestions/contract.ts';
import { readWellKnownIndex } from './well-known/contract.ts';

const RETRY_SECONDS = 5;

/** The contents page: every operation and what serves it. What `hot` takes over it is to give from then on. */
export function createBindings(snapshots: Snapshots, refreshMs: number, hot: HotAnswers): Binding[] {
  const streams = new BodyStreams();
  const served = () => requireServed(snapshots);
  return [
    bind(listSkills, ({ query, req, res }) => answerList(served(), query, req, res, streams, hot)),
    bind(getSkill, ({ params, req, res }) => answerSkill(served(), params.skill_id, req, res)),
    bind(listCategories, ({ req, res }) => answerWhole(served(), 'categories', req, res, hot)),
    bind(listSuggestions, ({ query, req, res }) => answerSuggestions(served(), query, req, res)),
    bind(listChanges, ({ query, req, res }) => answerChanges(served(), query, req, res)),
    bind(readFeed, ({ req, res }) => answerFeed(served(), req, res, hot)),
    bind(readWellKnownIndex, ({ req, res }) => answerWhole(served(), 'wellKnown', req, res, hot)),
    bind(getRegistryFile, ({ query, req, res }) => {
      const { registryFiles, meta } = served();
      const [label, file] = chooseFile(registryFiles, query.source);
      const fetchedAt = meta.sources.find((source) => source.label === label)?.fetchedAt ?? meta.at;
      return answerRawFile(req, res, file, fetchedAt, streams);
    }),
    bind(getRegistryStatus, () =>
      json(describeStatus(served(), snapshots, refreshMs), 200, { 'cache-control': 'no-store' }),
    ),
  ];
}

function answerWhole(
  served: Served,
  body: 'categories' | 'wellKnown',
  req: Request,
  res: Response,
  hot: HotAnswers,
): undefined {
  hot.take(served, req, res, answerRepresentation(req, res, served[body], served.meta.at));
}

function requireServed({ served }: Snapshots): Served {
  if (served === undefined) throw unavailable('No registry file could be read yet', RETRY_SECONDS);
  return served;
}
