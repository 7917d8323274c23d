import { TimeSlice } from '../http/time-slice.ts';
import type { ListPage } from './list-page.ts';
import type { Skill } from './skill.ts';
import type { SkillTable } from './skill-table.ts';

const COMMA = 0x2c;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const CHUNK_BYTES = 64 * 1024;
/** Between two looks at the clock. */
const ROWS_PER_LOOK = 16;

type PageBody = Pick<ListPage, 'rows' | 'fields' | 'facetsJson'>;

/**
 * The body of a page in memory: for a thousand rows at most. At once, where no skill has to be parsed for its `fields`.
 */
export function joinPage(table: SkillTable, page: PageBody): Buffer | Promise<Buffer> {
  if (page.fields) return collect(writePage(table, page));
  const skills = joinRows(table, page.rows);
  return page.facetsJson === undefined ? skills : Buffer.concat([HEAD, skills, tailOf(page.facetsJson)]);
}

/** The same in pieces, for any number of rows. */
export async function* writePage(table: SkillTable, { rows, fields, facetsJson }: PageBody): AsyncGenerator<Buffer> {
  if (facetsJson !== undefined) yield HEAD;
  yield* writeRows(table, rows, fields);
  if (facetsJson !== undefined) yield tailOf(facetsJson);
}

async function collect(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(pieces));
}

const HEAD = Buffer.from('{"skills":');

function tailOf(facetsJson: string): Buffer {
  return Buffer.from(`,"facets":${facetsJson}}`);
}

/** The skills of some rows as a JSON array: their bytes as they are, none is parsed. */
function joinRows(table: SkillTable, rows: Uint32Array): Buffer {
  const skills = rowsAsTheyStand(table, rows);
  let bytes = Math.max(2, skills.length + 1);
  for (const skill of skills) bytes += skill.length;
  const json = Buffer.allocUnsafe(bytes);
  json[0] = OPEN;
  json[bytes - 1] = CLOSE;
  let at = 1;
  for (const skill of skills) {
    if (at > 1) json[at++] = COMMA;
    json.set(skill, at);
    at += skill.length;
  }
  return json;
}

/** Their bytes; rows that follow each other stand together in the list, with a comma between. */
function rowsAsTheyStand(table: SkillTable, rows: Uint32Array): Buffer[] {
  const skills: Buffer[] = [];
  for (let at = 0, end = at; at < rows.length; at = end) {
    const first = table.jsonAt(rows[at] as number);
    for (end = at + 1; end < rows.length && rows[end] === (rows[end - 1] as number) + 1; end++);
    skills.push(end === at + 1 ? first : upTo(first, table.jsonAt(rows[end - 1] as number)));
  }
  return skills;
}

/** From the first of two views of the same bytes to the end of the second. */
function upTo(first: Buffer, last: Buffer): Buffer {
  return Buffer.from(first.buffer, first.byteOffset, last.byteOffset + last.length - first.byteOffset);
}

/** The same in pieces of some 64 KiB: others get their turn every 2 ms. With `fields` skills have only those. */
async function* writeRows(
  table: SkillTable,
  rows: Uint32Array,
  fields: readonly (keyof Skill)[] | undefined,
): AsyncGenerator<Buffer> {
  const slice = new TimeSlice();
  let parts: Buffer[] = [];
  let bytes = 0;
  for (let at = 0; at < rows.length; at++) {
    const skill = table.jsonAt(rows[at] as number);
    const part = fields ? Buffer.from(pick(skill, fields)) : skill;
    parts.push(at === 0 ? START : SEPARATOR, part);
    bytes += part.length + 1;
    if (bytes >= CHUNK_BYTES) {
      yield Buffer.concat(parts, bytes);
      [parts, bytes] = [[], 0];
    }
    if (at % ROWS_PER_LOOK === 0 && slice.isOver()) await slice.next();
  }
  yield Buffer.concat([...parts, rows.length === 0 ? EMPTY : END]);
}

const START = Buffer.from('[');
const SEPARATOR = Buffer.from(',');
const END = Buffer.from(']');
const EMPTY = Buffer.from('[]');

function pick(json: Buffer, fields: readonly (keyof Skill)[]): string {
  const skill = JSON.parse(json.toString()) as Skill;
  const picked: Partial<Record<keyof Skill, unknown>> = { id: skill.id };
  for (const field of fields) picked[field] = skill[field];
  return JSON.stringify(picked);
}
