import { defineOperation } from '@agent-fleet/shared/contract/operation';
import { z } from 'zod';
import { CONDITIONAL_HEADERS, NOT_MODIFIED, REPRESENTATION_HEADERS } from '../http/contract.ts';
import { WELL_KNOWN_SCHEMA } from './entry.ts';

const INDEX = z
  .object({
    $schema: z.string().meta({ description: 'Names the version of this format.', example: WELL_KNOWN_SCHEMA }),
    skills: z.array(
      z.object({
        name: z.string(),
        type: z.literal('skill-md').meta({ description: 'What is behind `url`: the SKILL.md.' }),
        description: z.string(),
        url: z.string().meta({ description: 'Where the SKILL.md is.' }),
        digest: z.string().meta({ description: '`sha256:` and the digest that upstream gives.' }),
      }),
    ),
  })
  .meta({ id: 'WellKnownSkills' });

export const readWellKnownIndex = defineOperation({
  id: 'readWellKnownIndex',
  method: 'get',
  path: '/.well-known/agent-skills/index.json',
  tag: 'Registry',
  summary: 'Discover skills by the well-known address',
  description:
    'Agent Skills Discovery 0.2.0: the skills that keep the specification, whose source gives the digest of their SKILL.md and of which it is known where that is. Check the digest before you use one. Needs no credentials.',
  security: 'public',
  requestHeaders: CONDITIONAL_HEADERS,
  responses: {
    200: {
      description: 'The index.',
      schema: INDEX,
      headers: REPRESENTATION_HEADERS,
      example: {
        $schema: WELL_KNOWN_SCHEMA,
        skills: [
          {
            name: 'review-pull-request',
            type: 'skill-md',
            description: 'Reads a change together with the code around it and reports defects by severity.',
            url: 'https://raw.githubusercontent.com/agent-fleet/skills/main/skills/review-pull-request/SKILL.md',
            digest: 'sha256:9b1e5c6a7d8f90123456789abcdef0123456789abcdef0123456789abcdef012',
          },
        ],
      },
    },
    304: NOT_MODIFIED,
  },
});
