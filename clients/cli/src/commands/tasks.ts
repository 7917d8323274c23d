import type { components, Task } from '@agent-fleet/sdk';
import { relativeTime } from '@agent-fleet/sdk/words';
import type { Command } from 'commander';
import type { Act, Context } from '../context.ts';
import { type ExitCode, usageError } from '../errors.ts';
import { findTask, type TaskRef, take, toInteger, toLimit, toPath } from '../lookup.ts';
import type { Column } from '../output/table.ts';
import { costText, usageText } from '../output/words.ts';
import { registerConversation } from './conversation/answer.ts';
import { registerAdd } from './tasks/add.ts';
import { type BulkOptions, type BulkVerb, bulk, type FilterOptions, toFilter, withFilters } from './tasks/bulk.ts';
import { graph } from './tasks/graph.ts';
import { LISTED_FIELDS, taskColumns, taskLines, tookText } from './tasks/render.ts';
import { logs, result, show, watch } from './tasks/watch.ts';
import { readJson } from './tasks/work-options.ts';

type Attempt = components['schemas']['Attempt'];

const ATTEMPT_COLUMNS: Column<Attempt>[] = [
  { title: 'ATTEMPT', value: ({ number }) => number, isNumber: true },
  { title: 'OUTCOME', value: ({ outcome }) => outcome },
  { title: 'WORKER', value: ({ worker_id }) => worker_id },
  { title: 'STARTED', value: ({ started_at }) => relativeTime(started_at) },
  {
    title: 'TOOK',
    value: ({ started_at, ended_at }) => ended_at && tookText(Date.parse(ended_at) - Date.parse(started_at)),
  },
  { title: 'TOKENS', value: ({ usage }) => usageText(usage) },
  { title: 'COST', value: ({ cost }) => costText(cost), isNumber: true },
  { title: 'ERROR', value: ({ error }) => error && `${error.code}: ${error.message}` },
];

interface ListOptions extends FilterOptions {
  search?: string;
  error?: string;
  model?: string;
  createdBy?: string;
  minDuration?: string;
  order: 'asc' | 'desc';
  limit: string;
}

/** Newest first: people look for what they have just done. */
async function list(context: Context, options: ListOptions): Promise<void> {
  const { order, limit: text, search, error, model, createdBy, minDuration, ...filters } = options;
  const { fleet, out, signal } = context;
  const { limit, size } = toLimit(text, 1_000_000);
  const query = {
    ...(await toFilter(context, filters)),
    ...{ q: search, error_code: error, model, created_by: createdBy },
    min_duration_seconds: minDuration === undefined ? undefined : toInteger('--min-duration', minDuration, 0, 86_400),
    order,
    limit: size,
    ...(!out.isJson && { fields: LISTED_FIELDS }),
  };
  const tasks = (await take(fleet().paginate('/tasks', { params: { query }, signal }), limit)) as Task[];
  const names = out.isJson || out.isQuiet || tasks.length === 0 ? new Map() : await readNames(context);
  const columns = taskColumns(tasks, names, out.width !== undefined);
  out.list(tasks, columns, 'No tasks. fleet tasks add <agent> <message> adds one.');
}

/** The names of the newest agents, by their ids. */
async function readNames({ fleet, signal }: Context): Promise<Map<string, string>> {
  const query = { fields: 'name', order: 'desc', limit: 1_000 } as const;
  const { data } = await fleet().get('/agents', { params: { query }, signal });
  return new Map(data.map(({ id, name }) => [id, String(name)]));
}

async function attempts(context: Context, ref: string): Promise<void> {
  const { fleet, out, signal } = context;
  const path = toPath(await findTask(context, ref));
  const { data } = await fleet().get('/agents/{agent_id}/tasks/{task_id}/attempts', { params: { path }, signal });
  // Only workers that run an agent report what it used.
  const hasUsage = data.some(({ usage, cost }) => usage || cost);
  const columns = ATTEMPT_COLUMNS.filter(({ title }) => hasUsage || (title !== 'TOKENS' && title !== 'COST'));
  out.list(data, columns, 'The task has not started yet.');
}

interface OneOptions extends BulkOptions {
  reason?: string;
  message?: string;
  input?: string;
  withDependencies?: boolean;
}

/** An action on the task that is named, or on all that match. */
const oneOrMany =
  (action: BulkVerb, one: (context: Context, task: TaskRef, options: OneOptions) => Promise<void>) =>
  async (context: Context, ref: string | undefined, options: OneOptions): Promise<ExitCode | undefined> => {
    const { dryRun, status, type, agent, tag, worker, createdAfter, createdBefore, ...ofOne } = options;
    const filters = { status, type, agent, tag, worker, createdAfter, createdBefore };
    const isMany = dryRun || Object.values(filters).some((value) => value !== undefined);
    if (ref !== undefined && isMany) throw usageError('Name a task, or give filters, not both');
    if (
      ref === undefined &&
      Object.keys(ofOne).some((name) => ['reason', 'message', 'input', 'withDependencies'].includes(name))
    ) {
      throw usageError('--reason, --message, --input and --with-dependencies are for one task');
    }
    if (ref === undefined) return bulk(context, action, { dryRun, ...filters });
    await one(context, await findTask(context, ref), options);
    return undefined;
  };

const cancel = oneOrMany('cancel', async (context, task, { reason }) => {
  const { fleet, out, signal } = context;
  const { data, response } = await fleet().put('/agents/{agent_id}/tasks/{task_id}/cancellation', {
    params: { path: toPath(task) },
    body: { reason: reason ?? null },
    signal,
  });
  if (response.status === 202) out.note('The worker is asked to stop; fleet tasks watch shows when it has.');
  out.record(data, taskLines(context));
});

const retry = oneOrMany('retry', async (context, task, { message, input, withDependencies }) => {
  const { fleet, out, signal } = context;
  const body = {
    ...(message !== undefined && { message }),
    ...(withDependencies && { with_dependencies: true }),
    ...(input !== undefined && { input: await readJson(context, '--input', input) }),
  };
  const { data } = await fleet().post('/agents/{agent_id}/tasks/{task_id}/retries', {
    params: { path: toPath(task) },
    body,
    signal,
  });
  out.record(data, taskLines(context));
});

const remove = oneOrMany('delete', async (context, task) => {
  const { fleet, out, signal } = context;
  await context.confirm(`Delete task ${task.taskId}?`);
  await fleet().delete('/agents/{agent_id}/tasks/{task_id}', { params: { path: toPath(task) }, signal });
  out.record({ id: task.taskId, deleted: true }, () => [`Deleted ${task.taskId}`]);
});

export function registerTasks(tasks: Command, act: Act): void {
  registerAdd(tasks, act);
  withFilters(tasks.command('list').description('list tasks, newest first'))
    .option('--search <words>', 'in the message, tags and error, or the beginning of an id')
    .option('--error <code>', 'the code of the last error')
    .option('--model <model>')
    .option('--created-by <who>', 'the id or e-mail address of a user, or the id of an API key')
    .option('--min-duration <seconds>', 'of the current or last attempt')
    .option('--order <order>', 'asc or desc', 'desc')
    .option('--limit <n>', 'list at most this many', '50')
    .action(act(list));
  tasks.command('show <task>').description('show a task: <agent>/<task>, or its id').action(act(show));
  tasks
    .command('result <task>')
    .description('print the result alone; exit code 5 if the task failed')
    .option('--wait', 'wait for its end')
    .option('--patch', 'print the changes of the workspace alone, for git apply')
    .action(act(result));
  tasks
    .command('watch <task>')
    .description('follow what its agent does, and answer what it asks; exit code 5 if it fails')
    .action(act(watch));
  registerConversation(tasks, act);
  tasks
    .command('logs <task>')
    .description('print what its workers wrote')
    .option('-f, --follow', 'follow the log until the task ends')
    .option('--after <id>', 'only entries after this one')
    .option('--limit <n>', 'list at most this many', '10000')
    .action(act(logs));
  tasks.command('graph <task>').description('show what it comes after, and what comes after it').action(act(graph));
  tasks.command('attempts <task>').description('list its attempts').action(act(attempts));
  many(tasks.command('cancel [task]').description('cancel a task, or all that match'))
    .option('--reason <text>')
    .action(act(cancel));
  many(tasks.command('retry [task]').description('add an ended task again, or all that match'))
    .option('--message <text>', 'another message')
    .option('--input <json>', 'another input; @file reads it from a file')
    .option('--with-dependencies', 'and what it came after that has not completed')
    .action(act(retry));
  many(tasks.command('delete [task]').description('delete a task, or all ended ones that match')).action(act(remove));
}

function many(command: Command): Command {
  return withFilters(command).option('--dry-run', 'only count the tasks that match');
}
