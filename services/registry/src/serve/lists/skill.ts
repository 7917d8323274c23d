import { detailError } from '@agent-fleet/shared/http/errors';
import { z } from 'zod';
import { SKILL, type Skill } from '../../skills/skill.ts';
import { defineCacheable } from '../http/contract.ts';
import { encode } from '../http/encoding.ts';
import { type RequestContext, sendCached } from '../http/send.ts';

export const SKILL_EXAMPLE: Skill = {
  id: 'review-pull-request',
  name: 'review-pull-request',
  display_name: 'Review a pull request',
  description: 'Reads a change together with the code around it and reports defects by severity.',
  kind: 'skill',
  category: 'code-quality',
  categories: ['code-quality'],
  tags: ['review', 'git', 'bugs'],
  author: 'Agent Fleet',
  source: { repo: 'agent-fleet/skills', path: 'skills/review-pull-request', ref: 'main', url: null },
  license: 'MIT',
  version: '1.4.0',
  compatibility: null,
  stars: null,
  downloads: null,
  featured: true,
  updated_at: '2026-03-02T00:00:00.000Z',
  digest: null,
  digest_of: null,
  install: null,
  valid: true,
  issues: [],
  registries: ['shipped'],
  extra: {},
};

export const SKILL_ID = z.string().meta({ description: 'The skill’s `id`.', example: SKILL_EXAMPLE.id });

export const getSkill = defineCacheable({
  id: 'getSkill',
  path: '/api/skills/{skill_id}',
  summary: 'Read one skill',
  params: z.object({ skill_id: SKILL_ID }),
  response: { description: 'The skill.', schema: SKILL, example: SKILL_EXAMPLE },
  errors: [{ status: 404, description: 'The skill does not exist.', example: { detail: 'Skill not found' } }],
});

/** `GET /api/skills/{skill_id}`. @throws 404 with `detail` */
export async function sendSkill(context: RequestContext, id: string): Promise<undefined> {
  const { skills, identities } = context.served;
  const row = skills.rowOf(id);
  if (row === undefined) throw detailError(404, 'Skill not found');
  const fingerprint = identities.fingerprints[row]!;
  const json = skills.jsonAt(row);
  return sendCached(context, { digest: () => fingerprint.toString(36), whole: (wanted) => encode(json, wanted) });
}
