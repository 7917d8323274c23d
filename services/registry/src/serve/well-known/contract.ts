import { z } from 'zod';
import { defineCacheable, OVERLOADED } from '../http/contract.ts';
import { WELL_KNOWN_SCHEMA } from './entry.ts';

export const WELL_KNOWN_INDEX = z
  .object({
    $schema: z
      .string()
      .meta({ description: 'Schema URI, which identifies the version of the format.', example: WELL_KNOWN_SCHEMA }),
    skills: z.array(
      z
        .object({
          name: z.string(),
          type: z.literal('skill-md').meta({ description: 'Type of the file at `url`: a SKILL.md.' }),
          description: z.string(),
          url: z.string().meta({ description: 'Address of the SKILL.md; may be relative to the index.' }),
          digest: z.string().meta({ description: '`sha256:` and the digest of the SKILL.md.' }),
        })
        .meta({ id: 'WellKnownSkill' }),
    ),
  })
  .meta({ id: 'WellKnownSkills' });

export const readWellKnownIndex = defineCacheable({
  id: 'readWellKnownIndex',
  path: '/.well-known/agent-skills/index.json',
  summary: 'Discover skills',
  description:
    'The index of Agent Skills Discovery 0.2.0. It lists each valid skill with a known SKILL.md address and a digest from its source. Verify the digest before you use a skill.',
  response: {
    description: 'The index.',
    schema: WELL_KNOWN_INDEX,
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
  errors: [OVERLOADED],
});
