import { timingSafeEqual } from 'node:crypto';
import { HttpError, validationError } from '@agent-fleet/shared/http/errors';
import type { Request } from 'express';
import type { LeaseRef } from '../contract/ids.ts';
import { leaseLost, requireRef } from '../contract/leases.ts';
import { leaseNotFound } from '../contract/parameters.ts';
import type { StoredTask, TaskState } from './rules/task-state.ts';
import type { TaskChange } from './rules/task-transitions.ts';
import type { Changed, ChangeTask } from './store/task-changer.ts';
import type { TaskReader } from './store/task-reader.ts';

/** Why a lease cannot be used: it never existed, or it is no longer held. */
type LeaseProblem = 'unknown' | 'lost';

type Confirmed = Extract<Changed<never>, { json: string }>;

/** Changes and reads tasks for the holders of their leases, who prove it by the fencing token. */
export function createHeldTasks({ change, reader }: { change: ChangeTask; reader: TaskReader }) {
  /**
   * Changes a task for the holder of its lease. If `isRepeated`, the request was handled before: nothing changes.
   * @throws 409 `lease_lost`; 404 when the lease never existed or its task was deleted; what the rule refuses with
   */
  async function changeHeld(
    ref: LeaseRef,
    token: string,
    rule: (stored: StoredTask, now: number) => TaskChange | { refused: HttpError } | undefined,
    isRepeated: (state: TaskState) => boolean = () => false,
  ): Promise<Confirmed> {
    const changed = await change<LeaseProblem | HttpError>(ref.agentId, ref.taskId, (stored, now) => {
      if (isRepeated(stored.state)) return undefined;
      const problem = findProblem(stored.state, ref, token, now);
      return problem ? { refused: problem } : rule(stored, now);
    });
    if ('json' in changed) return changed;
    if (changed.outcome === 'refused' && changed.refused instanceof HttpError) throw changed.refused;
    throw changed.outcome === 'refused' && changed.refused === 'lost' ? leaseLost() : leaseNotFound();
  }

  /** @throws 404 when the lease never existed or its task was deleted */
  async function requireLease(params: { lease_id: string }): Promise<void> {
    const { agentId, taskId, number } = requireRef(params);
    const found = await reader.readForChange(agentId, taskId);
    if (found.outcome !== 'found' || number > found.state.leases) throw leaseNotFound();
  }

  return {
    changeHeld,
    requireLease,

    /** Reads the token of a request without a body. @throws 400, or 404 as above */
    async requireToken(req: Request, params: { lease_id: string }): Promise<string> {
      const token = req.headers['x-lease-token'];
      if (typeof token === 'string' && token !== '') return token;
      await requireLease(params);
      throw validationError([{ path: 'X-Lease-Token', code: 'required', message: 'is required' }]);
    },
  };
}

/** Finds why this is not the task's current lease, by its fencing token. */
function findProblem({ lease, leases }: TaskState, ref: LeaseRef, token: string, now: number) {
  if (ref.number > leases) return 'unknown';
  const isHeld = lease?.number === ref.number && isSameToken(lease.token, token) && lease.expiresAt > now;
  return isHeld ? undefined : 'lost';
}

/** Whether the holder of a lease has ended it by this report, whose first response may have been lost. */
export function isReported({ reported }: TaskState, { number }: LeaseRef, token: string, digest: string): boolean {
  return reported?.lease === number && reported.digest === digest && isSameToken(reported.token, token);
}

function isSameToken(expected: string, given: string): boolean {
  const one = Buffer.from(expected);
  const other = Buffer.from(given);
  return one.length === other.length && timingSafeEqual(one, other);
}
