import type { components, Fleet, Task } from '@agent-fleet/sdk';
import { relativeTime } from '@agent-fleet/sdk/words';
import { InvalidArgumentError, Option } from 'commander';
import type { Context } from './context.ts';
import { CliError, EXIT, usageError } from './errors.ts';

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** The beginning of an id: with eight digits, it says when something was created within some seconds. */
const BEGINNING = /^[0-9a-f]{8}(-[0-9a-f-]{0,27})?$/;
const PAGE = 1_000;
const SHOWN = 5;

export interface TaskRef {
  agentId: string;
  taskId: string;
}

/** The parameters of a task's paths. */
export const toPath = ({ agentId, taskId }: TaskRef) => ({ agent_id: agentId, task_id: taskId });

/** The id of an agent that is named by its id, its beginning, or its name. @throws CliError for none, or several */
export async function findAgentId({ fleet, signal }: Context, ref: string): Promise<string> {
  if (ID.test(ref)) return ref;
  const list = (query: { name: string } | { q: string }) =>
    take(fleet().paginate('/agents', { params: { query: { ...query, fields: 'name' } }, signal }), SHOWN + 1);
  const found = (await list({ name: ref })).map(({ id }) => id);
  if (found.length === 0 && BEGINNING.test(ref)) {
    found.push(...(await list({ q: ref })).map(({ id }) => id).filter((id) => id.startsWith(ref)));
  }
  return theOnly(found, 'agents', ref);
}

/** A task that is named `<agent>/<task>`, or by its id or the beginning of it alone. @throws CliError */
export async function findTask(context: Context, ref: string): Promise<TaskRef> {
  const slash = ref.lastIndexOf('/');
  const taskId = ref.slice(slash + 1);
  if (!BEGINNING.test(taskId)) throw notFound(`There is no task ${ref}`, 'fleet tasks list shows them.');
  const agentId = slash < 0 ? undefined : await findAgentId(context, ref.slice(0, slash));
  if (agentId !== undefined && ID.test(taskId)) return { agentId, taskId };
  const { fleet, signal } = context;
  const query = { ...(ID.test(taskId) ? { id: taskId } : beginningQuery(taskId)), agent_id: agentId };
  const tasks: Pick<Task, 'id' | 'agent_id'>[] = [];
  const listed = fleet().paginate('/tasks', { params: { query: { ...query, fields: 'agent_id' } }, signal });
  for await (const task of first(listed, SHOWN + 1)) {
    if (task.id.startsWith(taskId)) tasks.push(task as (typeof tasks)[number]);
  }
  const id = theOnly(
    tasks.map((task) => task.id),
    'tasks',
    ref,
  );
  return { agentId: tasks[0]?.agent_id as string, taskId: id };
}

/** The first 48 bits of an id are its time in ms: only the tasks of these times are searched. */
function beginningQuery(beginning: string) {
  const digits = beginning.replaceAll('-', '').slice(0, 12);
  const timeOf = (text: string) => new Date(Number.parseInt(text, 16));
  const [from, to] = [timeOf(digits.padEnd(12, '0')), timeOf(digits.padEnd(12, 'f'))];
  from.setTime(from.getTime() - 1);
  to.setTime(to.getTime() + 1);
  // Later years have five digits, which no RFC 3339 date-time has.
  if (to.getUTCFullYear() > 9_999) return { id: beginning };
  return { q: beginning, created_after: from.toISOString(), created_before: to.toISOString() };
}

/** @throws CliError for none, or several */
function theOnly(ids: readonly string[], what: string, ref: string): string {
  const [only, ...others] = ids;
  const hint = `fleet ${what} list shows them.`;
  if (only === undefined) {
    throw notFound(
      what === 'agents' ? `No agent has the name or id ${ref}` : `There is no ${what.slice(0, -1)} ${ref}`,
      hint,
    );
  }
  if (others.length === 0) return only;
  const many = ids.length > SHOWN ? `More than ${SHOWN}` : ids.length;
  const aged = ids.slice(0, SHOWN).map((id) => `${id} (${relativeTime(timeOfId(id))})`);
  throw usageError(`${many} ${what} have the name or id ${ref}`, `Give one id: ${aged.join(', ')}`);
}

/** A UUIDv7 begins with its ms, as RFC 3339. */
function timeOfId(id: string): string {
  return new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toISOString();
}

/** An id for a path, by its beginning too: `..` in its place would name another path. @throws CliError */
export async function findId(what: 'users' | 'keys', ref: string, all: AsyncIterable<{ id: string }>): Promise<string> {
  if (ID.test(ref)) return ref;
  if (!BEGINNING.test(ref)) throw notFound(`${ref} is no id of ${what}`, `fleet ${what} list shows all ids.`);
  const ids = (await take(all, 100_000)).map(({ id }) => id);
  const found = ids.filter((id) => id.startsWith(ref));
  return theOnly(found, what, ref);
}

function notFound(message: string, hint: string): CliError {
  return new CliError(EXIT.failed, 'not_found', message, hint);
}

/** The same as an array. */
export async function take<T>(records: AsyncIterable<T>, limit: number): Promise<T[]> {
  const taken: T[] = [];
  for await (const record of first(records, limit)) taken.push(record);
  return taken;
}

/** The limit of a list, and the size of its pages. @throws CliError */
export function toLimit(text: string, max: number): { limit: number; size: number } {
  const limit = toInteger('--limit', text, 1, max);
  return { limit, size: Math.min(limit, PAGE) };
}

/** A whole number within bounds. @throws CliError */
export function toInteger(option: string, text: string, min: number, max: number): number {
  const number = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= min && number <= max)) {
    throw usageError(`${option} must be a whole number from ${min} to ${max}, not ${text}`);
  }
  return number;
}

/** Newest first: people look for what has just happened. */
export const ORDER = new Option('--order <order>', 'desc (newest first) or asc')
  .choices(['asc', 'desc'])
  .default('desc');

/** Up to `limit` records of a list, at least one, as their pages come. */
export async function* first<T>(records: AsyncIterable<T>, limit: number): AsyncGenerator<T> {
  let left = limit;
  for await (const record of records) {
    yield record;
    if (--left <= 0) return;
  }
}

/** For an option that lists names: a misspelt one would match nothing. @throws InvalidArgumentError */
export function listOf(...names: readonly string[]) {
  return (text: string): string => {
    const wrong = text.split(',').find((name) => !names.includes(name));
    if (wrong === undefined) return text;
    throw new InvalidArgumentError(`${wrong || 'Nothing'} is none of ${names.join(', ')}.`);
  };
}

/** Collects the values of an option that may be repeated. */
export function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

type Session = components['schemas']['CurrentSession'];

/** Who is signed in. @throws FleetError 401, 403 for credentials that are not valid */
export async function readSession(fleet: Fleet, signal: AbortSignal): Promise<Session> {
  const { data } = await fleet.get('/session', { signal });
  // It is null only for `optional=true`.
  return data as Session;
}
