import { rowsOf } from '../../index/numbers.ts';
import type { Skill } from '../../skills/skill.ts';
import type { SkillTable } from '../../skills/skill-table.ts';
import { TimeSlice } from '../../time-slice.ts';
import { CodedBody } from '../http/coded-body.ts';
import { digestOf } from '../http/validators.ts';

const COMMA = 0x2c;
const CHUNK_BYTES = 64 * 1024;
const START = Buffer.from('[');
const SEPARATOR = Buffer.from(',');
const END = Buffer.from(']');

/** What the body of a page is made of. */
export interface PageBody {
  rows: Uint32Array;
  fields: readonly (keyof Skill)[] | undefined;
  /** What stands before and after the array. */
  around?: readonly [head: string, tail: string];
}

/**
 * The body of a page of up to a thousand rows, copied without parsing. Returns synchronously unless `fields` are given.
 */
export function joinPage(table: SkillTable, page: PageBody): Buffer | Promise<Buffer> {
  const { rows, fields, around: [head, tail] = ['', ''] } = page;
  if (fields) {
    return Array.fromAsync(writePage(table, page)).then((pieces) =>
      Buffer.concat([Buffer.from(head), ...pieces, Buffer.from(tail)]),
    );
  }
  const skills = Array.from(rows, (row) => table.jsonAt(row));
  const others = Math.max(skills.length - 1, 0) + Buffer.byteLength(`${head}[]${tail}`);
  const bytes = skills.reduce((sum, skill) => sum + skill.length, others);
  const json = Buffer.allocUnsafe(bytes);
  let end = json.write(`${head}[`);
  for (let at = 0; at < skills.length; at++) {
    if (at > 0) json[end++] = COMMA;
    // From shared memory, `set` takes four times as long.
    end += (skills[at] as Buffer).copy(json, end);
  }
  json.write(`]${tail}`, end);
  return json;
}

/** The array in chunks of about 64 KiB, for any number of rows. Yields to the event loop every 2 ms. */
export async function* writePage(
  table: SkillTable,
  { rows, fields }: Omit<PageBody, 'around'>,
): AsyncGenerator<Buffer> {
  const slice = new TimeSlice();
  let parts: Buffer[] = [START];
  let bytes = 0;
  for (let at = 0; at < rows.length; at++) {
    const skill = table.jsonAt(rows[at]!);
    const part = fields ? Buffer.from(pick(skill, fields)) : skill;
    if (at > 0) parts.push(SEPARATOR);
    parts.push(part);
    bytes += part.length;
    if (bytes >= CHUNK_BYTES) {
      yield Buffer.concat(parts);
      [parts, bytes] = [[], 0];
    }
    if (slice.isOver()) await slice.next();
  }
  yield Buffer.concat([...parts, END]);
}

function pick(json: Buffer, fields: readonly (keyof Skill)[]): string {
  const skill = JSON.parse(json.toString()) as Skill;
  const picked: Partial<Record<keyof Skill, unknown>> = { id: skill.id };
  for (const field of fields) picked[field] = skill[field];
  return JSON.stringify(picked);
}

/** Skills in a list above which it is compressed at the fastest levels, and not kept uncompressed. */
export const MANY_SKILLS = 10_000;

/** The list of the first `count` skills: all that are listed by default. */
export function createListBody(skills: SkillTable, count: number, fingerprints: Float64Array): CodedBody {
  const isLarge = count > MANY_SKILLS;
  const digest = digestOf(fingerprints.subarray(0, count));
  return new CodedBody({
    digest: () => digest,
    read: () => writePage(skills, { rows: rowsOf(count), fields: undefined }),
    length: () => measureList(skills, count),
    level: isLarge ? 'large' : 'small',
    isKept: !isLarge,
  });
}

/** The number of bytes with brackets and commas. */
async function measureList(skills: SkillTable, count: number): Promise<number> {
  const slice = new TimeSlice();
  let bytes = Math.max(2, count + 1);
  for (let row = 0; row < count; row++) {
    bytes += skills.jsonAt(row).length;
    if (slice.isOver()) await slice.next();
  }
  return bytes;
}
