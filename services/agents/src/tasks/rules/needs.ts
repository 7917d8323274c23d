import { type Definition, labelsOf } from '../../definitions/definition.ts';
import type { TaskState } from './task-state.ts';

/** What a worker offers, and a task needs: names of what a worker accepts, and of its labels with this before them. */
const LABEL = '=';
/** Between the needs in the name of their set, as queues have it. */
const AND = '+';

/** The needs of a task that stay the same: its labels, and those of its definition. */
export function needsOfTask(definition: Definition | null, requires: readonly string[] | null | undefined): string[] {
  const labels = [...new Set([...(definition ? labelsOf(definition) : []), ...(requires ?? [])])];
  return [...labels.map((label) => `${LABEL}${label}`), ...(definition ? ['definitions'] : [])].sort();
}

/** What a task needs of its worker now: the name of the set, '' for none. */
export function needsOf({ conversation, needs = [] }: Pick<TaskState, 'conversation' | 'needs'>): string {
  if (!conversation) return needs.join(AND);
  const { suspended, interruptedAt, undelivered, requests } = conversation;
  const talk = [
    // One that was parked has no answers to read.
    ...((suspended !== undefined && requests > 0) || interruptedAt !== undefined ? ['input'] : []),
    ...(undelivered.length > 0 ? ['messages'] : []),
  ];
  return [...needs, ...talk].sort().join(AND);
}

export function splitNeeds(needs: string): string[] {
  return needs === '' ? [] : needs.split(AND);
}

/** The names of what a worker accepts, and of its labels. */
export function offersOf({ accepts, labels }: { accepts: readonly string[]; labels: readonly string[] }): string[] {
  return [...labels.map((label) => `${LABEL}${label}`), ...accepts].sort();
}

export function meets(offers: readonly string[] | ReadonlySet<string>, needs: string): boolean {
  const offered = new Set(offers);
  return splitNeeds(needs).every((need) => offered.has(need));
}

/** The labels among some needs. */
export function labelsIn(needs: readonly string[]): string[] {
  return needs.filter((need) => need.startsWith(LABEL)).map((need) => need.slice(LABEL.length));
}

/** The name of the set of labels among some needs, '' for none. */
export function labelSetOf({ needs = [] }: Pick<TaskState, 'needs'>): string {
  return labelsIn(needs).join(AND);
}
