import { type JsonObject, objectsOf, textOf } from '../json.ts';
import type { RuntimeEvent, TranscriptEntry } from '../runtime.ts';

const STATES: Readonly<Record<string, 'in_progress' | 'completed'>> = {
  in_progress: 'in_progress',
  inProgress: 'in_progress',
  completed: 'completed',
  cancelled: 'completed',
};

export const entry = (value: TranscriptEntry): RuntimeEvent => ({ type: 'entry', entry: value });

/** @param field of an item that has its text */
export function planOf(items: unknown, field: string): RuntimeEvent {
  const toItem = ({ [field]: text, status }: JsonObject) => {
    return { text: textOf(text), state: STATES[textOf(status)] ?? ('pending' as const) };
  };
  return entry({ type: 'plan', data: { items: objectsOf(items).map(toItem) } });
}

/** @param lines of a unified diff */
export function editOf(path: string, lines: readonly string[]): RuntimeEvent {
  const count = (mark: string) => lines.filter((line) => line.startsWith(mark)).length;
  return entry({ type: 'file_edit', data: { path, added: count('+'), removed: count('-'), diff: lines.join('\n') } });
}

/** Lines that take the places of others, from line `at` on. */
export function replacedOf(path: string, removed: readonly string[], added: readonly string[], at = 0): RuntimeEvent {
  const range = ({ length }: readonly string[]) => `${length === 0 ? at : at + 1},${length}`;
  const head = `@@ -${range(removed)} +${range(added)} @@`;
  return editOf(path, [head, ...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)]);
}

export const linesOf = (text: string) => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));
