import type { Task } from '../../harness/api.ts';
import type { AskedTask, Ledger } from '../clients/ledger.ts';
import { numberOf } from '../clients/workers.ts';

/**
 * Nothing acknowledged is lost or undone: creations (each once, however often it was sent), deletions, cancellations
 * and results; and every task ends. `stored`: every task. `waiting`: the ids of those that cannot end yet.
 */
export function checkTasks(ledger: Ledger, stored: readonly Task[], waiting: ReadonlySet<string>): void {
  const byId = new Map(stored.map((task) => [task.id, task]));
  const byOp = Map.groupBy(stored, ({ message }) => message);
  for (const asked of ledger.tasks.values()) {
    const found = byOp.get(asked.op) ?? [];
    const isTwin = ({ id }: Task) => asked.task !== undefined && id !== asked.task.id;
    if (found.length > 1 || found.some(isTwin)) ledger.violate(`${asked.op}: created more than once`);
    const problem = findProblem(asked, byId.get(asked.task?.id ?? ''), waiting);
    if (problem) ledger.violate(`${asked.op} (${asked.task?.id}): ${problem}`);
  }
  for (const op of byOp.keys()) if (!ledger.tasks.has(op)) ledger.violate(`${op}: nobody has asked for this task`);
  checkResults(ledger, byId);
}

function findProblem(asked: AskedTask, found: Task | undefined, waiting: ReadonlySet<string>) {
  if (!asked.task) return undefined;
  if (!found) return asked.deletion ? undefined : 'created, then lost';
  if (asked.deletion === 'done') return `deleted, then ${found.status}`;
  if (asked.cancellation === 'done' && found.status !== 'cancelled') return `cancelled, then ${found.status}`;
  const isOpen = found.status === 'pending' || found.status === 'running';
  if (isOpen && !waiting.has(found.id))
    return `still ${found.status} in attempt ${found.attempt}, updated ${found.updated_at}`;
  return undefined;
}

function checkResults(ledger: Ledger, byId: ReadonlyMap<string, Task>): void {
  const accepted = new Map<string, string>();
  for (const { taskId, leaseId, status, answer, lastLease } of ledger.results) {
    if (status === 'failed') continue;
    const task = byId.get(taskId);
    const by = (task?.result as { by?: string } | null | undefined)?.by;
    if (answer === 'refused' && by === leaseId) ledger.violate(`${taskId}: the refused result of ${leaseId} counts`);
    if (answer !== 'accepted') continue;
    if (lastLease !== undefined && numberOf(lastLease) > numberOf(leaseId)) {
      ledger.violate(`${taskId}: the result of ${leaseId} was accepted although ${lastLease} had begun`);
    }
    const other = accepted.get(taskId);
    if (other !== undefined) ledger.violate(`${taskId}: results of ${other} and ${leaseId} were accepted`);
    accepted.set(taskId, leaseId);
    if (task && (task.status !== 'completed' || by !== leaseId)) {
      ledger.violate(`${taskId}: completed by ${leaseId}, then ${task.status} by ${by}`);
    }
  }
}
