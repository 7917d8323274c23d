import { defineOperation } from '@agent-fleet/shared/contract/operation';
import { z } from 'zod';
import { CONDITIONAL_HEADERS, NOT_MODIFIED, REPRESENTATION_HEADERS } from '../http/contract.ts';
import { SKILL, type Skill } from './skill.ts';

export const SKILL_EXAMPLE: Skill = {
  id: 'review-pull-request',
  name: 'review-pull-request',
  display_name: 'Review a pull request',
  description: 'Reads a change together with the code around it and reports defects by severity.',
  category: 'code-quality',
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
  install: null,
  valid: true,
  issues: [],
  registries: ['shipped'],
  extra: {},
};

export const getSkill = defineOperation({
  id: 'getSkill',
  method: 'get',
  path: '/api/skills/{skill_id}',
  tag: 'Registry',
  summary: 'Read one skill',
  description: 'Needs no credentials.',
  security: 'public',
  params: z.object({ skill_id: z.string().meta({ description: 'The skill’s `id`.', example: SKILL_EXAMPLE.id }) }),
  requestHeaders: CONDITIONAL_HEADERS,
  responses: {
    200: { description: 'The skill.', schema: SKILL, headers: REPRESENTATION_HEADERS, example: SKILL_EXAMPLE },
    304: NOT_MODIFIED,
  },
  errors: [{ status: 404, description: 'The skill does not exist.', example: { detail: 'Skill not found' } }],
});
