import type { Delta, Event, LogEntry, Task } from '@agent-fleet/sdk';
import type { Context } from '../../context.ts';
import { CliError, EXIT, type ExitCode } from '../../errors.ts';
import { findTask, first, type TaskRef, toInteger, toLimit, toPath } from '../../lookup.ts';
import { safeJson, safeLine } from '../../output/safe-text.ts';
import { requestLines, stateLine } from '../conversation/request-lines.ts';
import { askHere, noteRequests, readRequest } from '../conversation/requests.ts';
import { entryLines, logLine } from '../conversation/transcript.ts';
import { exitCodeOf, INPUT_REQUIRED, isEnded, nextStep, shownLines, taskLines } from './render.ts';
import { sayWhyItWaits, whyItWaits } from './waiting.ts';

const LOG = '/agents/{agent_id}/tasks/{task_id}/log-entries';
/** Longer than any task. */
const FOREVER_MS = 2_000_000_000;

async function readTask({ fleet, signal }: Context, task: TaskRef) {
  const params = { path: toPath(task) };
  return (await fleet().get('/agents/{agent_id}/tasks/{task_id}', { params, signal })).data;
}

/** Waits until a task ends or needs input, and prints the whole task as JSON, the result alone to people. */
export async function waitAndPrint(context: Context, ref: TaskRef): Promise<ExitCode> {
  const { fleet, out, signal } = context;
  const stop = sayWhyItWaits(context, ref);
  try {
    const task = await fleet().waitForTask(ref, { signal, timeoutMs: FOREVER_MS, until: 'input' });
    if (out.isJson) out.record(task, taskLines(context));
    else if (task.status === 'completed') out.value(task.result);
    else if (task.status === INPUT_REQUIRED) await noteRequests(context, ref);
    else out.note(`${failureOf(task)}\n${nextStep(task)}`);
    return exitCodeOf(task);
  } finally {
    stop();
  }
}

/** Why a task did not succeed, such as `The task failed: timeout: No result within 60 s`. */
function failureOf({ status, error }: Task): string {
  if (status === INPUT_REQUIRED) return 'The task needs input';
  const verb = status === 'failed' ? 'failed' : `was ${status}`;
  if (!error) return `The task ${verb}`;
  return `The task ${verb}: ${error.code === status ? '' : `${error.code}: `}${error.message}`;
}

export async function show(context: Context, ref: string): Promise<void> {
  const found = await findTask(context, ref);
  const task = await readTask(context, found);
  context.out.record(task, context.out.width === undefined ? taskLines(context) : shownLines(context));
  if (task.status === INPUT_REQUIRED) context.out.note(nextStep(task));
  if (task.status !== 'pending') return;
  const why = await whyItWaits(context, found);
  if (why) context.out.note(`It waits: ${why}`);
}

interface ResultOptions {
  wait?: boolean;
  patch?: boolean;
}

/** Prints the result alone, or the patch in it, for scripts. */
export async function result(context: Context, ref: string, { wait, patch }: ResultOptions): Promise<ExitCode> {
  const { fleet, out, signal } = context;
  const found = await findTask(context, ref);
  const task = wait
    ? await fleet().waitForTask(found, { signal, timeoutMs: FOREVER_MS, until: 'input' })
    : await readTask(context, found);
  if (!isEnded(task) && task.status !== INPUT_REQUIRED) {
    throw new CliError(EXIT.failed, 'task_not_ended', `The task is ${task.status}`, 'Add --wait to wait for its end.');
  }
  if (task.status !== 'completed') {
    throw new CliError(exitCodeOf(task), task.error?.code ?? task.status, failureOf(task), nextStep(task));
  }
  if (patch) printPatch(context, task);
  else out.value(task.result);
  return EXIT.ok;
}

function printPatch({ out }: Context, { result }: Task): void {
  const changes = fieldOf(result, 'changes');
  const text = fieldOf(changes, 'patch');
  if (typeof text !== 'string') {
    throw new CliError(EXIT.failed, 'no_patch', 'The result has no patch', 'fleet tasks result shows what it has.');
  }
  if (fieldOf(changes, 'patch_truncated') === true) {
    const hint = 'Have the agent push a branch, or fetch the workspace from its worker.';
    throw new CliError(
      EXIT.failed,
      'patch_truncated',
      'The patch is longer than a result may be: its end is missing',
      hint,
    );
  }
  if (text === '') out.note('The task has changed nothing.');
  else out.exact(text);
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** Follows a task to its end: events as JSON, the transcript to people, who answer what it asks. */
export async function watch(context: Context, ref: string): Promise<ExitCode> {
  const { out } = context;
  const found = await findTask(context, ref);
  const stop = sayWhyItWaits(context, found);
  try {
    await (out.isJson ? printEvents(context, found) : printTranscript(context, found));
    const task = await readTask(context, found);
    if (out.isJson) return exitCodeOf(task);
    if (task.status === 'completed') out.value(task.result);
    else out.note(`${failureOf(task)}\n${nextStep(task)}`);
    return exitCodeOf(task);
  } finally {
    stop();
  }
}

/** The streams of a task resume where they broke off. */
const toStream = ({ signal }: Context, task: TaskRef) => ({
  params: { path: toPath(task) },
  signal,
  outageMs: FOREVER_MS,
});

async function printEvents(context: Context, task: TaskRef): Promise<void> {
  const events = context.fleet().events('/agents/{agent_id}/tasks/{task_id}/events', toStream(context, task));
  for await (const { data } of events) context.out.line(data, eventLine);
}

async function printTranscript(context: Context, task: TaskRef): Promise<void> {
  const { out } = context;
  let live = '';
  const onDelta = ({ text }: Delta) => {
    live = (live + text).slice(-1_000);
    const [line = ''] = live.trimEnd().split('\n').slice(-1);
    out.progress(line.slice(1 - (out.width ?? 80)));
  };
  for await (const { data } of context.fleet().events(LOG, { ...toStream(context, task), onDelta })) {
    live = '';
    const id = data.type === 'input' ? String(data.data?.request_id) : undefined;
    const request = id === undefined ? undefined : await readRequest(context, task, id);
    if (request === undefined) out.lines(entryLines(data));
    else if (data.data?.state !== 'open') out.lines([stateLine(request)]);
    else if (request.state === 'open') await askHere(context, request);
    else out.lines(requestLines(request).slice(0, -1));
  }
}

const LOST_EVENTS = 'earlier events are no longer kept';

/** An event as one line. */
export function eventLine({ at, type, agent_id, task_id, status, data }: Event): string {
  const details = type === 'resync' ? LOST_EVENTS : data === undefined ? '' : safeJson(data);
  return safeLine([at, type.padEnd(20), task_id ?? agent_id, status, details].filter(Boolean).join('  '));
}

interface LogOptions {
  follow?: boolean;
  limit: string;
  after?: string;
}

export async function logs(context: Context, ref: string, options: LogOptions): Promise<void> {
  const { follow, after } = options;
  const { fleet, signal } = context;
  const path = toPath(await findTask(context, ref));
  const from = after === undefined ? undefined : toInteger('--after', after, 0, Number.MAX_SAFE_INTEGER);
  if (follow) {
    const lastEventId = from === undefined ? undefined : String(from);
    for await (const { data } of fleet().events(LOG, { params: { path }, lastEventId, signal, outageMs: FOREVER_MS })) {
      printEntry(context, data);
    }
    return;
  }
  const { limit, size } = toLimit(options.limit, 1_000_000);
  const entries = fleet().paginate(LOG, { params: { path, query: { after: from, limit: size } }, signal });
  for await (const entry of first(entries, limit)) printEntry(context, entry);
}

/** Typed entries as the transcript has them. */
function printEntry({ out }: Context, entry: LogEntry): void {
  if (out.isJson || entry.type === 'log') out.line(entry, logLine);
  else out.lines(entryLines(entry));
}
