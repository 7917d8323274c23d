import { hash } from 'node:crypto';
import { detailError } from '@agent-fleet/shared/http/errors';
import type { Skill } from '../../skills/skill.ts';
import { cutText } from '../../skills/text.ts';
import { digestOf, etagFor } from '../http/entity-tag.ts';
import type { RequestContext } from '../http/request-context.ts';
import { sendBody, sendNotModified } from '../http/send.ts';
import type { Served } from '../served.ts';
import { WELL_KNOWN_SCHEMA, type WellKnownEntry } from '../well-known/entry.ts';
import { declaredDigest, type SkillFile, type SkillFiles } from './skill-files.ts';

const MARKDOWN = 'text/markdown; charset=utf-8';
/** Bounds of the format of the index. */
const MAX_NAME_LENGTH = 64;
const MAX_DESCRIPTION_LENGTH = 1_024;
/** `/api/skills/{skill_id}/skill.md`, relative to the index. */
const FILE_URL = '../../skill.md';

/** `GET /api/skills/{skill_id}/skill.md`. Not compressed: `Repr-Digest` is that of the file itself. */
export async function sendSkillFile(context: RequestContext, id: string, files: SkillFiles): Promise<undefined> {
  const { res } = context;
  const skill = requireSkill(context.served, id);
  const file = await files.read(skill);
  res.setHeader('repr-digest', `sha-256=:${Buffer.from(file.digest, 'hex').toString('base64')}:`);
  const declared = declaredDigest(skill);
  if (declared !== undefined && declared !== file.digest) res.setHeader('x-digest-mismatch', `sha256:${declared}`);
  // Anybody may have written it.
  res.setHeader('x-content-type-options', 'nosniff');
  sendUncoded(context, file.digest.slice(0, 32), file, MARKDOWN, file.bytes);
}

/** `GET /api/skills/{skill_id}/.well-known/agent-skills/index.json` */
export async function sendSkillIndex(context: RequestContext, id: string, files: SkillFiles): Promise<undefined> {
  const skill = requireSkill(context.served, id);
  const file = await files.read(skill);
  const index = { $schema: WELL_KNOWN_SCHEMA, skills: [toEntry(skill, file)] };
  const json = Buffer.from(JSON.stringify(index));
  sendUncoded(context, digestOf(json), file, undefined, json);
}

function sendUncoded(
  { req, res }: RequestContext,
  digest: string,
  { fetchedAt }: SkillFile,
  contentType: string | undefined,
  body: Buffer,
): void {
  const coding = 'identity';
  const validators = { etag: etagFor(digest, coding), coding, lastModified: fetchedAt, contentType } as const;
  if (!sendNotModified(req, res, validators)) sendBody(res, validators, body);
}

/** @throws 404 with `detail` */
function requireSkill({ skills }: Served, id: string): Skill {
  const row = skills.rowOf(id);
  if (row === undefined) throw detailError(404, 'Skill not found');
  return skills.skillAt(row);
}

function toEntry(skill: Skill, { digest }: SkillFile): WellKnownEntry {
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
