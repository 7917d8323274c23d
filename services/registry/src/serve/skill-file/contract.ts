import type { ErrorDoc, HeaderDoc } from '@agent-fleet/shared/contract/operation';
import { z } from 'zod';
import { defineCacheable } from '../http/contract.ts';
import { SKILL_ID } from '../lists/skill-contract.ts';
import { WELL_KNOWN_INDEX } from '../well-known/contract.ts';
import { WELL_KNOWN_SCHEMA } from '../well-known/entry.ts';

const digestHeader: HeaderDoc = {
  description: 'SHA-256 of the SKILL.md, computed by the registry, in base64 (RFC 9530).',
  schema: { type: 'string', example: 'sha-256=:mx5can2PkBI0VniavN7wEjRWeJq83vASNFZ4mrze8BI=:' },
  required: true,
};

const FILE_ERRORS: readonly ErrorDoc[] = [
  { status: 404, description: 'The skill does not exist.', example: { detail: 'Skill not found' } },
  {
    status: 404,
    description: 'The location of its SKILL.md is unknown or private, or the file is not there.',
    example: { detail: 'SKILL.md not found' },
  },
];

export const readSkillFile = defineCacheable({
  id: 'readSkillFile',
  path: '/api/skills/{skill_id}/skill.md',
  summary: 'Read the SKILL.md of a skill',
  description:
    'The file itself, at most 256 KiB, fetched from where the skill lives (GitHub, GitLab or its raw address) and cached for some minutes. It is not checked: read it before you use it. Status 502 and 504 also mean that its host failed or did not respond in time, and 503 that too many files are being fetched.',
  params: z.object({ skill_id: SKILL_ID }),
  response: {
    description: 'The SKILL.md.',
    contentType: 'text/markdown',
    schema: z.string(),
    headers: {
      'Repr-Digest': digestHeader,
      'X-Digest-Mismatch': {
        description: 'The digest that the source of the skill declares for the SKILL.md, if the file has another one.',
        schema: { type: 'string' },
      },
    },
    example: '---\nname: review-pull-request\ndescription: Reads a change and reports defects.\n---\n…',
  },
  errors: FILE_ERRORS,
});

export const readSkillIndex = defineCacheable({
  id: 'readSkillIndex',
  path: '/api/skills/{skill_id}/.well-known/agent-skills/index.json',
  summary: 'Discover one skill',
  description:
    'The index of Agent Skills Discovery 0.2.0 with this skill only, for `npx skills add <registry>/api/skills/<skill_id>`. Its digest is computed from the SKILL.md as fetched; errors are those of the SKILL.md.',
  params: z.object({ skill_id: SKILL_ID }),
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
          url: '../../skill.md',
          digest: 'sha256:9b1e5c6a7d8f90123456789abcdef0123456789abcdef0123456789abcdef012',
        },
      ],
    },
  },
  errors: FILE_ERRORS,
});
