import type { Task } from '@agent-fleet/sdk';
import { duration, relativeTime } from '@agent-fleet/sdk/words';
import type { Context } from '../../context.ts';
import { EXIT, type ExitCode } from '../../errors.ts';
import type { Line } from '../../output/output.ts';
import { safeJson } from '../../output/safe-text.ts';
import type { Column } from '../../output/table.ts';
import { costText, markdownLines, usageText } from '../../output/words.ts';

/** The status of a task that waits for a person. */
export const INPUT_REQUIRED = 'input_required';
const ENDED = new Set<string>(['completed', 'failed', 'cancelled']);

export function isEnded({ status }: Pick<Task, 'status'>): boolean {
  return ENDED.has(status);
}

/** What a command that watched a task exits with. */
export function exitCodeOf({ status }: Pick<Task, 'status'>): ExitCode {
  if (status === INPUT_REQUIRED) return EXIT.inputRequired;
  return status === 'completed' ? EXIT.ok : EXIT.taskFailed;
}

/** The fields that the columns need. */
export const LISTED_FIELDS = 'id,agent_id,status,message,error,cost,started_at,completed_at,created_at';

/** The columns of a list. `names`: of agents by their ids. On a terminal, ids are as short as they differ. */
export function taskColumns(tasks: readonly Task[], names: ReadonlyMap<string, string>, isTerminal: boolean) {
  const length = isTerminal ? shortLength(tasks.map(({ id }) => id)) : undefined;
  const columns: (Column<Task> & { isOptional?: boolean })[] = [
    { title: 'ID', value: ({ id }) => id.slice(0, length), isWhole: true },
    { title: 'STATUS', value: ({ status }) => status, isWhole: true },
    { title: 'AGENT', value: ({ agent_id }) => names.get(agent_id) ?? agent_id },
    { title: 'MESSAGE', value: ({ message }) => message },
    { title: 'TOOK', value: tookOf, isNumber: true, isWhole: true },
    { title: 'COST', value: ({ cost }) => costText(cost), isNumber: true, isOptional: true },
    { title: 'ERROR', value: ({ error }) => error?.code, isOptional: true },
    { title: 'CREATED', value: ({ created_at }) => relativeTime(created_at) },
  ];
  return columns.filter(({ isOptional, value }) => !isOptional || tasks.some((task) => value(task)));
}

/** The beginning of an id has its time: this much of it is that of one ms. */
const SHORTEST = 13;

function shortLength(ids: readonly string[]): number {
  let length = SHORTEST;
  while (length < 36 && new Set(ids.map((id) => id.slice(0, length))).size < ids.length) length++;
  return length;
}

/** How long the current or last attempt has taken. */
function tookOf({ status, started_at, completed_at }: Task): string | undefined {
  const end = status === 'running' || status === INPUT_REQUIRED ? Date.now() : Date.parse(completed_at ?? '');
  return started_at === null || Number.isNaN(end) ? undefined : tookText(end - Date.parse(started_at));
}

export function tookText(ms: number): string {
  return ms < 1_000 ? `${Math.max(0, ms)} ms` : duration(ms / 1_000);
}

export function taskLines({ out }: Context) {
  return (task: Task): string[] => {
    const { error, progress, cancel_requested_at } = task;
    const time = (at: string | null) => at && `${relativeTime(at)} (${at})`;
    return out.fields([
      ['task', `${task.agent_id}/${task.id}`],
      ['status', cancel_requested_at && !isEnded(task) ? `${task.status}, to be cancelled` : task.status],
      ['message', task.message],
      ['input', task.input === null ? null : safeJson(task.input)],
      ['priority', task.priority],
      ['tags', task.tags?.join(', ')],
      ['skills', task.skills?.map((one) => (typeof one === 'string' ? one : `${one.id}@${one.digest}`)).join('\n')],
      ['repository', task.workspace && [task.workspace.repository, task.workspace.ref].filter(Boolean).join(' at ')],
      ['model', task.model],
      ['attempt', `${task.attempt} of ${task.max_attempts}`],
      ['worker', task.worker_id],
      ['progress', progress && [progress.percent === null ? '' : `${progress.percent} %`, progress.message].join(' ')],
      ['tokens', usageText(task.usage)],
      ['cost', costLine(task)],
      ['result', task.result === null ? null : safeJson(task.result)],
      ['error', error && `${error.code}: ${error.message}`],
      ['retry of', task.retry_of],
      ['continues', task.continue_of],
      ['continued by', task.continued_by?.join(', ')],
      ['created', time(task.created_at)],
      ['scheduled', time(task.scheduled_at)],
      ['next attempt', time(task.next_attempt_at)],
      ['started', time(task.started_at)],
      ['ended', time(task.completed_at)],
      ['took', tookOf(task)],
      ['expires', task.status === 'pending' ? time(task.expires_at) : null],
    ]);
  };
}

/** A task as people read it: what it is about, how it went, and what came of it. */
export function shownLines(context: Context) {
  return (task: Task): Line[] => {
    const [first = '', ...others] = task.message.split('\n');
    const result = task.result as { text?: unknown; changes?: { files?: unknown } } | null;
    const text = typeof result === 'string' ? result : result?.text;
    const files = Array.isArray(result?.changes?.files) ? result.changes.files.filter((file) => file?.path) : [];
    const rest = { ...task, message: others.join('\n').trim(), ...(typeof text === 'string' && { result: null }) };
    return [
      { style: 'bold', text: first },
      {
        style: 'status',
        text: task.status,
        rest: task.cancel_requested_at && !isEnded(task) ? ', to be cancelled' : '',
      },
      ...taskLines(context)(rest as Task).filter((line) => !line.startsWith('status ')),
      ...(typeof text === 'string' ? ['', ...markdownLines(text)] : []),
      ...files.map(({ path, added, removed }) => `+${added ?? '?'} -${removed ?? '?'}  ${path}`),
    ];
  };
}

function costLine({ cost, max_cost }: Task): string | undefined {
  const limit = max_cost && `at most ${costText(max_cost)}`;
  return [costText(cost), limit].filter(Boolean).join(', ');
}

/** What to do about a task that did not succeed. */
export function nextStep({ agent_id, id, status }: Task): string {
  if (status === INPUT_REQUIRED) return `Answer it: fleet tasks answer ${agent_id}/${id}`;
  return `fleet tasks attempts ${agent_id}/${id} shows more.`;
}
