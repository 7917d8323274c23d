import type { Agent, components, Fleet, Task } from '@agent-fleet/sdk';
import { InvalidArgumentError } from 'commander';
import type { Context } from './context.ts';
import { CliError, EXIT, usageError } from './errors.ts';

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Names are compared here: the fleet has no index of them. */
const MAX_AGENTS = 20_000;
const PAGE = 1_000;
const SHOWN = 5;
const TASKS_HINT = 'fleet tasks list shows the tasks.';

export interface TaskRef {
  agentId: string;
  taskId: string;
}

/** The parameters of a task's paths. */
export const toPath = ({ agentId, taskId }: TaskRef) => ({ agent_id: agentId, task_id: taskId });

/** The id of an agent that is named by its id or its name. @throws CliError for no such name, or several */
export async function findAgentId({ fleet, signal }: Context, ref: string): Promise<string> {
  if (ID.test(ref)) return ref;
  const found: string[] = [];
  let seen = 0;
  const query = { limit: PAGE, fields: 'name' };
  for await (const agent of fleet().paginate('/agents', { params: { query }, signal })) {
    const { id, name } = agent as Pick<Agent, 'id' | 'name'>;
    if (name === ref) found.push(id);
    if (++seen >= MAX_AGENTS) throw usageError(`The fleet has too many agents to find one by its name`, 'Give its id.');
  }
  const [first, ...others] = found;
  if (first === undefined) throw notFound(`No agent has the name or id ${ref}`, 'fleet agents list shows all agents.');
  if (others.length === 0) return first;
  const ids = found.slice(0, SHOWN).join(', ');
  throw usageError(`${found.length} agents have the name ${ref}`, `Give the id of one of them: ${ids}`);
}

/** A task that is named `<agent>/<task>`, or by its id alone. @throws CliError for no such task */
export async function findTask(context: Context, ref: string): Promise<TaskRef> {
  const slash = ref.lastIndexOf('/');
  const taskId = ref.slice(slash + 1);
  if (!ID.test(taskId)) throw notFound(`There is no task ${ref}`, TASKS_HINT);
  if (slash >= 0) return { agentId: await findAgentId(context, ref.slice(0, slash)), taskId };
  const { fleet, signal } = context;
  const query = { id: ref, fields: 'agent_id' };
  const { data } = await fleet().get('/tasks', { params: { query }, signal });
  const [task] = data as Pick<Task, 'id' | 'agent_id'>[];
  if (!task) throw notFound(`There is no task ${ref}`, TASKS_HINT);
  return { agentId: task.agent_id, taskId };
}

/** An id for a path: `..` in its place would name another path. @throws CliError */
export function toId(what: string, text: string): string {
  if (ID.test(text)) return text;
  throw notFound(`${text} is no id of ${what}`, `fleet ${what} list shows all ids.`);
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
