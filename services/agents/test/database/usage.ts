import type { Records } from './records.ts';
import type { Snapshot } from './snapshot.ts';

/** The quotas count each agent, and each pending task, of a principal that had a quota when it was created. */
export function usageProblems({ usage, agents: hashes }: Snapshot, { tasks }: Records): string[] {
  const expected = new Map<string, number>();
  const add = (field: string) => expected.set(field, (expected.get(field) ?? 0) + 1);
  for (const { owner } of hashes.values()) if (owner) add(`agents ${owner}`);
  for (const { record, state } of tasks.values()) {
    if (record.status === 'pending' && state?.owner) add(`tasks ${state.owner}`);
  }
  const fields = [...new Set([...expected.keys(), ...usage.keys()])];
  return fields
    .filter((field) => expected.get(field) !== usage.get(field))
    .map((field) => `the usage of ${field} is ${usage.get(field)}, not ${expected.get(field)}`);
}
