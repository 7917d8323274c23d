import { queryInteger, queryText } from '@agent-fleet/shared/contract/paging';
import { toWords, wordsParameter } from '../contract/words.ts';
import { toMs } from './rules/task-state.ts';
import type { Task } from './task.ts';

/** What no index has: it is looked for in the records of tasks, one after the other. */
export interface RecordFilter {
  q?: string | undefined;
  error_code?: string | undefined;
  model?: string | undefined;
  created_by?: string | undefined;
  min_duration_seconds?: number | undefined;
}

export const recordFilterParameters = {
  q: wordsParameter(
    'Each word is somewhere in the message, the tags, or the code or message of the error, in any case, or is the beginning of the id. The newest tasks come first.',
  ),
  error_code: queryText('Only tasks whose last error has this code.'),
  model: queryText('Only tasks that ask for this model.'),
  created_by: queryText('Only tasks that this user or API key has created: its id, or the e-mail address of a user.'),
  min_duration_seconds: queryInteger({
    min: 0,
    max: 86_400,
    description: 'Only tasks whose current or last attempt has taken at least so long.',
  }),
};

/** Tells whether a record matches; undefined if each does. `now` in ms. */
export function toRecordMatcher(filter: RecordFilter, now: number): ((json: string) => boolean) | undefined {
  const { q, error_code, model, created_by, min_duration_seconds: seconds } = filter;
  const words = toWords(q);
  const creator = created_by?.toLowerCase();
  const tests = [
    ...words.map((word) => (task: Task) => hasWord(task, word)),
    error_code !== undefined && ((task: Task) => task.error?.code === error_code),
    model !== undefined && ((task: Task) => task.model === model),
    creator !== undefined && ((task: Task) => isBy(task, creator)),
    seconds !== undefined && ((task: Task) => durationOf(task, now) >= seconds * 1_000),
  ].filter((test) => test !== false);
  if (tests.length === 0) return undefined;
  const spelled = [...words, ...[error_code, model, created_by].flatMap((text) => text?.toLowerCase() ?? [])].map(
    toSpelling,
  );
  return (json) => {
    const text = json.toLowerCase();
    // Most records are found not to match without being parsed.
    if (!spelled.every((part) => text.includes(part))) return false;
    const task = JSON.parse(json) as Task;
    return tests.every((test) => test(task));
  };
}

function hasWord({ id, message, tags, error }: Task, word: string): boolean {
  const texts = [message, ...(tags ?? []), error?.code, error?.message];
  return id.startsWith(word) || texts.some((text) => text?.toLowerCase().includes(word));
}

function isBy({ created_by }: Task, creator: string): boolean {
  return created_by?.id.toLowerCase() === creator || created_by?.name.toLowerCase() === creator;
}

/** In ms; negative before the first attempt. */
function durationOf({ started_at, completed_at }: Task, now: number): number {
  if (started_at === null) return -1;
  const end = completed_at === null ? now : toMs(completed_at);
  return end - toMs(started_at);
}

/** How a text is written in JSON. */
function toSpelling(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
