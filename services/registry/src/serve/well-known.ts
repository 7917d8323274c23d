import { z } from 'zod';
import type { Skill } from '../skills/skill.ts';
import { locateSkillFile } from '../skills/skill-file.ts';
import type { SkillTable } from '../skills/skill-table.ts';
import type { SourceDocument } from '../source/document.ts';
import { TimeSlice } from '../time-slice.ts';
import { CodedBody } from './http/coded-body.ts';
import { defineCacheable, OVERLOADED } from './http/contract.ts';
import { digestOf } from './http/validators.ts';
import { MANY_SKILLS } from './lists/list-body.ts';

/** The `$schema` of Agent Skills Discovery 0.2.0. */
export const WELL_KNOWN_SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';

const ENTRY = z
  .object({
    name: z.string(),
    type: z.literal('skill-md').meta({ description: 'Type of the file at `url`: a SKILL.md.' }),
    description: z.string(),
    url: z.string().meta({ description: 'Address of the SKILL.md; may be relative to the index.' }),
    digest: z.string().meta({ description: '`sha256:` and the digest of the SKILL.md.' }),
  })
  .meta({ id: 'WellKnownSkill' });

/** An entry of a well-known index. */
export type WellKnownEntry = z.output<typeof ENTRY>;

const INDEX = z
  .object({
    $schema: z
      .string()
      .meta({ description: 'Schema URI, which identifies the version of the format.', example: WELL_KNOWN_SCHEMA }),
    skills: z.array(ENTRY),
  })
  .meta({ id: 'WellKnownSkills' });

/** The response with an index, whose example has a skill at `url`. */
export function indexAt(url: string) {
  const skill: WellKnownEntry = {
    name: 'review-pull-request',
    type: 'skill-md',
    description: 'Reads a change together with the code around it and reports defects by severity.',
    url,
    digest: 'sha256:9b1e5c6a7d8f90123456789abcdef0123456789abcdef0123456789abcdef012',
  };
  return { description: 'The index.', schema: INDEX, example: { $schema: WELL_KNOWN_SCHEMA, skills: [skill] } };
}

export const readWellKnownIndex = defineCacheable({
  id: 'readWellKnownIndex',
  path: '/.well-known/agent-skills/index.json',
  summary: 'Discover skills',
  description:
    'The index of Agent Skills Discovery 0.2.0. It lists each valid skill with a known SKILL.md address and a digest from its source. Verify the digest before you use a skill.',
  response: indexAt('https://raw.githubusercontent.com/agent-fleet/skills/main/skills/review-pull-request/SKILL.md'),
  errors: [OVERLOADED],
});

/** Undefined unless it is a valid skill with the digest of its SKILL.md, which the snapshot has or can be located. */
export function toWellKnownEntry(
  skill: Skill,
  skillFiles: ReadonlyMap<string, SourceDocument>,
): WellKnownEntry | undefined {
  const { id, name, description, digest, valid } = skill;
  if (!valid || skill.kind !== 'skill' || skill.digest_of !== 'skill_md' || digest === null) return undefined;
  const isHere = skillFiles.has(digest.replace(/^sha256:/, ''));
  const url = isHere ? `../../api/skills/${encodeURIComponent(id)}/skill.md` : locateSkillFile(skill.source);
  return url === undefined ? undefined : { name, type: 'skill-md', description, url, digest };
}

/** In the JSON of each skill with the digest of its SKILL.md. A text cannot contain it, as its quotes are escaped. */
const HAS_FILE_DIGEST = Buffer.from('"digest_of":"skill_md"');
const CHUNK_BYTES = 64 * 1024;

/** `/.well-known/agent-skills/index.json` of the first `count` skills. */
export function createWellKnownBody(
  skills: SkillTable,
  count: number,
  fingerprints: Float64Array,
  skillFiles: ReadonlyMap<string, SourceDocument>,
): CodedBody {
  let rows: Promise<number[]> | undefined;
  const findOnce = () => {
    rows ??= findRows(skills, count);
    return rows;
  };
  const isLarge = count > MANY_SKILLS;
  return new CodedBody({
    digest: async () => digestOf(Float64Array.from(await findOnce(), (row) => fingerprints[row]!)),
    read: () => writeIndex(skills, findOnce(), skillFiles),
    level: isLarge ? 'large' : 'small',
    isKept: !isLarge,
  });
}

/** Rows of skills that may be in the index. */
async function findRows(skills: SkillTable, count: number): Promise<number[]> {
  const slice = new TimeSlice();
  const rows: number[] = [];
  for (let row = 0; row < count; row++) {
    if (skills.jsonAt(row).includes(HAS_FILE_DIGEST)) rows.push(row);
    if (slice.isOver()) await slice.next();
  }
  return rows;
}

async function* writeIndex(
  skills: SkillTable,
  rows: Promise<number[]>,
  skillFiles: ReadonlyMap<string, SourceDocument>,
): AsyncGenerator<Buffer> {
  const slice = new TimeSlice();
  let text = `{"$schema":${JSON.stringify(WELL_KNOWN_SCHEMA)},"skills":[`;
  let separator = '';
  for (const row of await rows) {
    const entry = toWellKnownEntry(skills.skillAt(row), skillFiles);
    if (entry) {
      text += separator + JSON.stringify(entry);
      separator = ',';
    }
    if (text.length >= CHUNK_BYTES) {
      yield Buffer.from(text);
      text = '';
    }
    if (slice.isOver()) await slice.next();
  }
  yield Buffer.from(`${text}]}`);
}
