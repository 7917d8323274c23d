import { type Command, Option } from 'commander';
import type { Act, Context } from '../../context.ts';
import { type ExitCode, usageError } from '../../errors.ts';
import { collect, findAgentId, findTask, toInteger } from '../../lookup.ts';
import { addFile } from './add-file.ts';
import { taskLines } from './render.ts';
import { waitAndPrint } from './watch.ts';
import { readJson, readObject, toWork, type WorkOptions, withWork } from './work-options.ts';

interface AddOptions extends WorkOptions {
  file?: string;
  input?: string;
  metadata?: string;
  priority?: string;
  tag?: string[];
  continue?: string;
  after?: string[];
  afterFailure?: 'fail' | 'run';
  at?: string;
  expires?: string;
  attempts?: string;
  attemptTimeout?: string;
  idempotencyKey?: string;
  wait?: boolean;
}

/** A time as RFC 3339, or from now as `+90s`, `+15m`, `+2h`, `+1d`. */
function toTime(option: string, text: string): string {
  const [, amount, unit = 's'] = /^\+(\d{1,9})([smhd])$/.exec(text) ?? [];
  const seconds = { s: 1, m: 60, h: 3_600, d: 86_400 }[unit] ?? 1;
  if (amount !== undefined) return new Date(Date.now() + Number(amount) * seconds * 1_000).toISOString();
  if (/^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw usageError(`${option} must be a time such as 2026-12-24T18:00:00Z or +2h, not ${text}`);
}

const findTaskId = async (context: Context, ref: string) => (await findTask(context, ref)).taskId;

async function add(
  context: Context,
  agent: string | undefined,
  text: string | undefined,
  options: AddOptions,
): Promise<ExitCode | undefined> {
  const { fleet, out, signal } = context;
  const { file, idempotencyKey, ...others } = options;
  if (file !== undefined) {
    const isAlone = agent !== undefined && text === undefined && Object.keys(others).length === 0;
    if (!isAlone) throw usageError('--file goes with an agent alone', 'Its lines have all of each task.');
    return addFile(context, agent, file, idempotencyKey);
  }
  const continued = options.continue === undefined ? undefined : await findTask(context, options.continue);
  // A session belongs to its agent, who need not be named again.
  const [named, message] = continued && text === undefined ? [undefined, agent] : [agent, text];
  if (named === undefined && !continued) throw usageError('The agent is missing');
  const isStdin = message === '-' || message === undefined;
  const fromStdin = [isStdin ? '-' : '', options.input, options.metadata, options.schema];
  if (fromStdin.filter((source) => source === '-' || source === '@-').length > 1) {
    throw usageError('Only one value can be read from stdin', 'Give the others as arguments, or as @file.');
  }
  if (message === undefined && process.stdin.isTTY)
    throw usageError('The message is missing', 'Add it, or - for stdin.');
  const { input, metadata, priority, attempts, attemptTimeout } = options;
  const body = {
    message: isStdin ? (await context.readStdin()).trimEnd() : message,
    ...(input !== undefined && { input: await readJson(context, '--input', input) }),
    ...(metadata !== undefined && { metadata: await readObject(context, '--metadata', metadata) }),
    ...(await toWork(context, options)),
    ...(continued && { continue_of: continued.taskId }),
    ...(options.after && { after: await Promise.all(options.after.map((ref) => findTaskId(context, ref))) }),
    ...(options.afterFailure && { after_failure: options.afterFailure }),
    ...(priority !== undefined && { priority: toInteger('--priority', priority, 1, 10) }),
    ...(options.tag && { tags: options.tag }),
    ...(options.at !== undefined && { scheduled_at: toTime('--at', options.at) }),
    ...(options.expires !== undefined && { expires_at: toTime('--expires', options.expires) }),
    ...(attempts !== undefined && { max_attempts: toInteger('--attempts', attempts, 1, 10) }),
    ...(attemptTimeout !== undefined && {
      timeout_seconds: toInteger('--attempt-timeout', attemptTimeout, 1, 86_400),
    }),
  };
  const path = { agent_id: named === undefined ? (continued?.agentId ?? '') : await findAgentId(context, named) };
  const { data: task } = await fleet().post('/agents/{agent_id}/tasks', {
    params: { path },
    body,
    signal,
    idempotencyKey,
  });
  if (!options.wait) {
    out.record(task, taskLines(context));
    return undefined;
  }
  out.note(`Added task ${task.id}`);
  return waitAndPrint(context, { agentId: task.agent_id, taskId: task.id });
}

export function registerAdd(tasks: Command, act: Act): void {
  const command = tasks
    .command('add [agent] [message]')
    .description('give a task to an agent; with - as the message, it is read from stdin')
    .option('--file <file>', 'a task a line, such as {"message":"Do it","tags":["x"]}; - is stdin')
    .option('--input <json>', 'any JSON; @file reads it from a file, @- from stdin')
    .option('--metadata <json>', 'an object of JSON, or @file')
    .option('--priority <n>', '1 (first) to 10')
    .option('--tag <tag>', 'may be repeated', collect);
  withWork(command)
    .option(
      '--continue <task>',
      'an ended task whose session goes on: <agent>/<task>, or its id; the agent may be left out',
    )
    .option('--after <task>', 'start when this task has ended: <agent>/<task>, or its id; may be repeated', collect)
    .addOption(new Option('--after-failure <what>', 'when one of them fails').choices(['fail', 'run']))
    .option('--at <time>', 'do not start before, such as 2026-12-24T18:00:00Z or +2h')
    .option('--expires <time>', 'fails unless it has started by then')
    .option('--attempts <n>', 'attempts at most, 1 to 10')
    .option('--attempt-timeout <seconds>', 'limit of one attempt')
    .option('--idempotency-key <key>', 'the same key and task create one task only')
    .option('--wait', 'wait for the end, print the result; exit code 5 if it fails, 7 if it needs input')
    .action(act(add));
}
