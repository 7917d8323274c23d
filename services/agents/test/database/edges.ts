import { waitsOn } from '../../src/tasks/rules/dependencies.ts';
import type { Records } from './records.ts';
import type { Snapshot } from './snapshot.ts';

/** Tasks know which others name them and wait for them; of one that has ended, a handover tells these. */
export function edgeProblems({ dependents, waiters, handovers }: Snapshot, { tasks }: Records): string[] {
  const expected = new Set<string>();
  const found = new Set<string>();
  for (const [id, { record, state }] of tasks) {
    for (const other of record.after ?? []) if (tasks.has(other)) expected.add(`${other} dependent ${id}`);
    if (record.status !== 'pending') continue;
    for (const other of waitsOn(state ?? {})) expected.add(`${other} waiter ${id}`);
  }
  for (const [id, others] of dependents) for (const other of others) found.add(`${id} dependent ${other}`);
  for (const [id, others] of waiters) for (const other of others) found.add(`${id} waiter ${other}`);
  const lost = [...waiters.keys()].filter((id) => {
    const status = tasks.get(id)?.record.status ?? 'deleted';
    return /completed|failed|cancelled|deleted/.test(status) && !handovers.has(id);
  });
  const wrong = [...expected.symmetricDifference(found)];
  return [
    ...wrong.map((edge) => `${edge} is ${found.has(edge) ? 'not expected' : 'missing'}`),
    ...lost.map((id) => `${id} has ended, and tasks wait for it`),
  ];
}
