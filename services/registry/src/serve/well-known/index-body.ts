import type { SkillTable } from '../../skills/skill-table.ts';
import { TimeSlice } from '../../time-slice.ts';
import { CodedBody } from '../http/coded-body.ts';
import { digestOf } from '../http/entity-tag.ts';
import { MANY_SKILLS } from '../lists/list-body.ts';
import { toWellKnownEntry, WELL_KNOWN_SCHEMA } from './entry.ts';

/** In the JSON of each skill with the digest of its SKILL.md. A text cannot contain it, as its quotes are escaped. */
const HAS_FILE_DIGEST = Buffer.from('"digest_of":"skill_md"');
/** Rows between two checks of the time slice. */
const ROWS_PER_CHECK = 16;
const CHUNK_BYTES = 64 * 1024;

/** `/.well-known/agent-skills/index.json` of the first `count` skills. */
export function createWellKnownBody(skills: SkillTable, count: number, fingerprints: Float64Array): CodedBody {
  let rows: Promise<number[]> | undefined;
  const findOnce = () => {
    rows ??= findRows(skills, count);
    return rows;
  };
  const isLarge = count > MANY_SKILLS;
  return new CodedBody({
    digest: async () => digestOf(Float64Array.from(await findOnce(), (row) => fingerprints[row] as number)),
    read: () => writeIndex(skills, findOnce()),
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
    if (row % ROWS_PER_CHECK === 0 && slice.isOver()) await slice.next();
  }
  return rows;
}

async function* writeIndex(skills: SkillTable, rows: Promise<number[]>): AsyncGenerator<Buffer> {
  const slice = new TimeSlice();
  let text = `{"$schema":${JSON.stringify(WELL_KNOWN_SCHEMA)},"skills":[`;
  let separator = '';
  for (const [at, row] of (await rows).entries()) {
    const entry = toWellKnownEntry(skills.skillAt(row));
    if (entry) {
      text += separator + JSON.stringify(entry);
      separator = ',';
    }
    if (text.length >= CHUNK_BYTES) {
      yield Buffer.from(text);
      text = '';
    }
    if (at % ROWS_PER_CHECK === 0 && slice.isOver()) await slice.next();
  }
  yield Buffer.from(`${text}]}`);
}
