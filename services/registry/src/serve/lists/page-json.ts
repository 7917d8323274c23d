import type { Skill } from '../../skills/skill.ts';
import type { SkillTable } from '../../skills/skill-table.ts';
import { TimeSlice } from '../http/time-slice.ts';
import type { ListPage } from './list-page.ts';

const COMMA = 0x2c;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const CHUNK_BYTES = 64 * 1024;
/** Rows between two looks at the clock. */
const ROWS_PER_LOOK = 16;
const HEAD = Buffer.from('{"skills":');
const START = Buffer.from('[');
const SEPARATOR = Buffer.from(',');
const END = Buffer.from(']');

type PageBody = Pick<ListPage, 'rows' | 'fields' | 'facetsJson'>;

/** The body of a page of up to a thousand rows. Returns synchronously unless skills have to be parsed for `fields`. */
export function joinPage(table: SkillTable, page: PageBody): Buffer | Promise<Buffer> {
  const { rows, fields, facetsJson } = page;
  if (fields) return Array.fromAsync(writePage(table, page)).then((pieces) => Buffer.concat(pieces));
  const skills = joinRows(table, rows);
  return facetsJson === undefined ? skills : Buffer.concat([HEAD, skills, tailOf(facetsJson)]);
}

/** The skills of some rows as a JSON array, copied without parsing. */
function joinRows(table: SkillTable, rows: Uint32Array): Buffer {
  const runs: Buffer[] = [];
  let bytes = 2;
  for (let at = 0, end = at; at < rows.length; at = end) {
    // Skills of consecutive rows are adjacent in the list, with a comma in between.
    for (end = at + 1; end < rows.length && rows[end] === (rows[end - 1] as number) + 1; end++);
    const run = table.jsonBetween(rows[at] as number, rows[end - 1] as number);
    bytes += run.length + (at > 0 ? 1 : 0);
    runs.push(run);
  }
  const json = Buffer.allocUnsafe(bytes);
  let end = 0;
  for (const run of runs) {
    json[end] = COMMA;
    json.set(run, end + 1);
    end += run.length + 1;
  }
  json[0] = OPEN;
  json[bytes - 1] = CLOSE;
  return json;
}

/** The body of a page in chunks, for any number of rows. */
export async function* writePage(table: SkillTable, { rows, fields, facetsJson }: PageBody): AsyncGenerator<Buffer> {
  if (facetsJson !== undefined) yield HEAD;
  yield* writeRows(table, rows, fields);
  if (facetsJson !== undefined) yield tailOf(facetsJson);
}

function tailOf(facetsJson: string): Buffer {
  return Buffer.from(`,"facets":${facetsJson}}`);
}

/** A JSON array in chunks of about 64 KiB. Yields to the event loop every 2 ms. */
async function* writeRows(
  table: SkillTable,
  rows: Uint32Array,
  fields: readonly (keyof Skill)[] | undefined,
): AsyncGenerator<Buffer> {
  const slice = new TimeSlice();
  let parts: Buffer[] = [START];
  let bytes = 0;
  for (let at = 0; at < rows.length; at++) {
    const skill = table.jsonAt(rows[at] as number);
    const part = fields ? Buffer.from(pick(skill, fields)) : skill;
    if (at > 0) parts.push(SEPARATOR);
    parts.push(part);
    bytes += part.length;
    if (bytes >= CHUNK_BYTES) {
      yield Buffer.concat(parts);
      [parts, bytes] = [[], 0];
    }
    if (at % ROWS_PER_LOOK === 0 && slice.isOver()) await slice.next();
  }
  yield Buffer.concat([...parts, END]);
}

function pick(json: Buffer, fields: readonly (keyof Skill)[]): string {
  const skill = JSON.parse(json.toString()) as Skill;
  const picked: Partial<Record<keyof Skill, unknown>> = { id: skill.id };
  for (const field of fields) picked[field] = skill[field];
  return JSON.stringify(picked);
}
