import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { components, Task } from '@agent-fleet/sdk';
import { exactJson } from '@agent-fleet/sdk/exact-json';
import { whereNotJson } from '@agent-fleet/sdk/text';
import type { Context } from '../../context.ts';
import { EXIT, usageError } from '../../errors.ts';
import { findAgentId } from '../../lookup.ts';
import { toText } from '../../text.ts';
import { taskColumns } from './render.ts';

type TaskInput = components['schemas']['TaskInput'];

/** Of a batch: the fleet stores as many characters at once. */
const [MAX_TASKS, MAX_CHARACTERS] = [500, 200_000];

/** Adds a task of each line, in batches. A line that is no object of JSON is named, and then nothing is sent. */
export async function addFile(context: Context, agent: string, file: string, key = String(randomUUID())) {
  const { fleet, out, signal } = context;
  const text = file === '-' ? await context.readStdin() : toText(`--file: ${file}`, () => readFileSync(file));
  const lines = [...text.split('\n').entries()].filter(([, line]) => line.trim() !== '');
  const problems = lines.flatMap(([at, line]) => problemOf(line).map((problem) => `line ${at + 1}: ${problem}`));
  if (problems.length > 0) throw usageError(problems.slice(0, 9).join('\n'), 'Nothing was sent: correct the lines.');
  const params = { path: { agent_id: await findAgentId(context, agent) } };
  const [created, refused]: [Task[], string[]] = [[], []];
  try {
    for (let at = 0, batch = lines; at < lines.length; at += batch.length) {
      batch = lines.slice(at, at + MAX_TASKS);
      while (batch.length > 1 && String(batch).length > MAX_CHARACTERS) batch = batch.slice(0, batch.length >> 1);
      const body = { tasks: batch.map(([, line]) => exactJson.parse(line) as TaskInput) };
      const options = { params, body, signal, idempotencyKey: `${key}-${at}` };
      const { data } = await fleet().post('/agents/{agent_id}/task-batches', options);
      for (const [index, result] of data.results.entries()) {
        if ('task' in result) created.push(result.task);
        else refused.push(`line ${(batch[index]?.[0] ?? 0) + 1}: ${result.error.message}`);
      }
    }
  } catch (error) {
    out.note(`${created.length} tasks were added. --idempotency-key ${key} adds only the others of this file.`);
    throw error;
  }
  out.list(created, taskColumns(created, new Map(), out.width !== undefined), 'No tasks were added.');
  if (refused.length > 0) out.note(`Refused, while the others were added:\n${refused.join('\n')}`);
  return refused.length > 0 ? EXIT.failed : EXIT.ok;
}

function problemOf(line: string): string[] {
  try {
    exactJson.parse(line);
  } catch {
    return [`not JSON at ${whereNotJson(line).replace('line 1, ', '')}`];
  }
  return line.trimStart().startsWith('{') ? [] : [`not an object such as {"message":"Do it"}`];
}
