import type { Keys } from '../../src/redis/keys.ts';
import type { Snapshot } from './snapshot.ts';

/** Actions that run are in the set of those; they are bounded by their last task, and count no task twice. */
export function bulkActionProblems({ bulkActions, runningActions }: Snapshot, keys: Keys): string[] {
  const problems = [...runningActions]
    .filter((id) => bulkActions.get(keys.bulkAction(id))?.state !== 'running')
    .map((id) => `the bulk action ${id} does not run`);
  for (const [key, { state, cursor = '', until = '', failed, failures = '[]', ended_at }] of bulkActions) {
    const id = key.slice(keys.bulkAction('').length);
    const rules: [boolean, string][] = [
      [['running', 'completed', 'stopped'].includes(String(state)), `has the state ${state}`],
      [state !== 'running' || runningActions.has(id), 'runs, and is not among those that run'],
      [(state === 'running') === (ended_at === undefined), `is ${state} and has ended at ${ended_at}`],
      [state !== 'running' || cursor <= until || cursor === '', `has passed ${cursor}, after ${until}`],
      [(JSON.parse(failures) as unknown[]).length === Math.min(Number(failed), 100), `has not ${failed} failures`],
    ];
    problems.push(...rules.filter(([holds]) => !holds).map(([, problem]) => `the bulk action ${id} ${problem}`));
  }
  return problems;
}
