import { type Binding, bind, json } from '@agent-fleet/shared/contract';
import { unavailable } from '@agent-fleet/shared/errors';
import { listCategories } from './categories/contract.ts';
import { answerRepresentation } from './http/answer.ts';
import { answerList, answerSkill } from './skills/answers.ts';
import { getSkill, listSkills } from './skills/contract.ts';
import { getRegistryFile, getRegistryStatus } from './snapshots/contract.ts';
import type { Served } from './snapshots/served.ts';
import type { Snapshots } from './snapshots/snapshots.ts';
import { describeStatus } from './snapshots/status.ts';

const RETRY_SECONDS = 5;

/** The contents page: every operation and what serves it. */
export function createBindings(snapshots: Snapshots, refreshMs: number): Binding[] {
  const served = () => requireServed(snapshots);
  return [
    bind(listSkills, ({ query, req, res }) => answerList(served(), query, req, res)),
    bind(getSkill, ({ params, req, res }) => answerSkill(served(), params.skill_id, req, res)),
    bind(listCategories, ({ req, res }) => {
      const { categories, meta } = served();
      answerRepresentation(req, res, categories, meta.fetchedAt);
    }),
    bind(getRegistryFile, ({ req, res }) => {
      const { registry, meta } = served();
      answerRepresentation(req, res, registry, meta.fetchedAt);
    }),
    bind(getRegistryStatus, () =>
      json(describeStatus(served(), snapshots, refreshMs, Date.now()), 200, { 'cache-control': 'no-store' }),
    ),
  ];
}

function requireServed({ served }: Snapshots): Served {
  if (served === undefined) throw unavailable('No registry file could be read yet', RETRY_SECONDS);
  return served;
}
