import { hash } from 'node:crypto';
import type { ErrorDoc, HeaderDoc } from '@agent-fleet/shared/contract/operation';
import { detailError } from '@agent-fleet/shared/http/errors';
import { z } from 'zod';
import type { Skill } from '../../skills/skill.ts';
import { cutText } from '../../skills/text.ts';
import { defineCacheable } from '../http/contract.ts';
import type { Coding } from '../http/encoding.ts';
import { type RequestContext, send } from '../http/send.ts';
import { digestOf } from '../http/validators.ts';
import { SKILL_ID } from '../lists/skill.ts';
import type { Served } from '../served.ts';
import { indexAt, WELL_KNOWN_SCHEMA, type WellKnownEntry } from '../well-known.ts';
import { declaredDigest, requirePlace, type SkillFile, type SkillFiles } from './skill-files.ts';

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

/** `/api/skills/{skill_id}/skill.md`, relative to the index. */
const FILE_URL = '../../skill.md';

export const readSkillIndex = defineCacheable({
  id: 'readSkillIndex',
  path: '/api/skills/{skill_id}/.well-known/agent-skills/index.json',
  summary: 'Discover one skill',
  description:
    'The index of Agent Skills Discovery 0.2.0 with this skill only, for `npx skills add <registry>/api/skills/<skill_id>`. Its digest is the one that the source of the skill declares for the SKILL.md, else it is computed from the SKILL.md as fetched; errors are those of the SKILL.md.',
  params: z.object({ skill_id: SKILL_ID }),
  response: indexAt(FILE_URL),
  errors: FILE_ERRORS,
});

const MARKDOWN = 'text/markdown; charset=utf-8';
/** Bounds of the format of the index. */
const MAX_NAME_LENGTH = 64;
const MAX_DESCRIPTION_LENGTH = 1_024;

/** `GET /api/skills/{skill_id}/skill.md`. Not compressed: `Repr-Digest` is that of the file itself. */
export async function sendSkillFile(context: RequestContext, id: string, files: SkillFiles): Promise<undefined> {
  const { res } = context;
  const skill = requireSkill(context.served, id);
  const file = await files.read(skill, context.served);
  res.setHeader('repr-digest', `sha-256=:${Buffer.from(file.digest, 'hex').toString('base64')}:`);
  const declared = declaredDigest(skill);
  if (declared !== undefined && declared !== file.digest) res.setHeader('x-digest-mismatch', `sha256:${declared}`);
  // Anybody may have written it.
  res.setHeader('x-content-type-options', 'nosniff');
  return sendUncoded(context, file, file.digest.slice(0, 32), file.bytes, MARKDOWN);
}

/** `GET /api/skills/{skill_id}/.well-known/agent-skills/index.json` */
export async function sendSkillIndex(context: RequestContext, id: string, files: SkillFiles): Promise<undefined> {
  const skill = requireSkill(context.served, id);
  const { served } = context;
  const digest = declaredDigest(skill);
  if (digest !== undefined && !served.skillFiles.has(digest)) requirePlace(skill);
  const file = digest === undefined ? await files.read(skill, served) : { digest, fetchedAt: served.meta.at };
  const index = { $schema: WELL_KNOWN_SCHEMA, skills: [toEntry(skill, file)] };
  const json = Buffer.from(JSON.stringify(index));
  return sendUncoded(context, file, digestOf(json), json);
}

async function sendUncoded(
  context: RequestContext,
  { fetchedAt }: Pick<SkillFile, 'fetchedAt'>,
  digest: string,
  body: Buffer,
  contentType?: string,
): Promise<undefined> {
  const coding: Coding = 'identity';
  const uncoded = { digest: () => digest, negotiate: () => coding, whole: () => ({ body, coding, bytes: 0 }) };
  await send(context, uncoded, { lastModified: fetchedAt, contentType });
}

/** @throws 404 with `detail` */
function requireSkill({ skills }: Served, id: string): Skill {
  const row = skills.rowOf(id);
  if (row === undefined) throw detailError(404, 'Skill not found');
  return skills.skillAt(row);
}

function toEntry(skill: Skill, { digest }: Pick<SkillFile, 'digest'>): WellKnownEntry {
  const { name, display_name, description } = skill;
  return {
    name: toEntryName(name),
    type: 'skill-md',
    description: cutText(description || display_name || name, MAX_DESCRIPTION_LENGTH),
    url: FILE_URL,
    digest: `sha256:${digest}`,
  };
}

/** Clients skip entries with other names than the specification allows. */
function toEntryName(name: string): string {
  const words =
    name
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  const valid = words.join('-').slice(0, MAX_NAME_LENGTH).replace(/-$/, '');
  return valid || `skill-${hash('sha256', name).slice(0, 8)}`;
}
