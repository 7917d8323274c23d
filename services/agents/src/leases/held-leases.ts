import { timingSafeEqual } from 'node:crypto';
import type { Input, Reply } from '@agent-fleet/shared/contract/operation';
import { validationError } from '@agent-fleet/shared/http/errors';
import { clientOf } from '../contract/callers.ts';
import type { LeaseRef } from '../contract/ids.ts';
import { leaseLost, requireRef } from '../contract/leases.ts';
import { leaseNotFound } from '../contract/parameters.ts';
import { digestOf } from '../idempotency/idempotency.ts';
import * as rules from '../tasks/rules/task-rules.ts';
import { type Lease, type StoredTask, type TaskState, toTime } from '../tasks/rules/task-state.ts';
import type { TaskChange } from '../tasks/rules/task-transitions.ts';
import type { Changed } from '../tasks/store/task-changer.ts';
import type { Tasks } from '../tasks/tasks.ts';
import type { WorkerActivity } from '../workers/worker-activity.ts';
import type { heartbeat, putResult, releaseLease } from './contract.ts';

/** Why a lease cannot be used: it never existed, or it is no longer held. */
type LeaseProblem = 'unknown' | 'lost';

const UNEXPLAINED = { code: 'failed', message: 'The worker gave no reason', retryable: true };

export type HeldLeases = ReturnType<typeof createHeldLeases>;

/** The operations on a lease that its holder sends, with its fencing token. */
export function createHeldLeases({ change, reader }: Pick<Tasks, 'change' | 'reader'>, activity: WorkerActivity) {
  /** Changes a task for the holder of its lease. If `isRepeated`, the request was handled before: nothing changes. */
  const changeHeld = (
    ref: LeaseRef,
    token: string,
    rule: (stored: StoredTask, now: number) => TaskChange,
    isRepeated: (state: TaskState) => boolean = () => false,
  ) =>
    change<LeaseProblem>(ref.agentId, ref.taskId, (stored, now) => {
      if (isRepeated(stored.state)) return undefined;
      const problem = findProblem(stored.state, ref, token, now);
      return problem ? { refused: problem } : rule(stored, now);
    });

  const release = (ref: LeaseRef, token: string) => changeHeld(ref, token, rules.release);

  /** @throws 404 when the lease never existed or its task was deleted */
  async function requireLease(params: { lease_id: string }): Promise<void> {
    const { agentId, taskId, number } = requireRef(params);
    const found = await reader.readForChange(agentId, taskId);
    if (found.outcome !== 'found' || number > found.state.leases) throw leaseNotFound();
  }

  return {
    release,
    requireLease,

    async heartbeatLease({ params, body, req }: Input<typeof heartbeat>): Promise<Reply> {
      const { token, ...reported } = body;
      const { state, task } = requireChanged(
        await changeHeld(requireRef(params), token, (stored, now) => rules.heartbeat(stored, reported, now)),
      );
      const { expiresAt, workerId } = (state as TaskState).lease as Lease;
      activity.seeLease(workerId, clientOf(req));
      const reply = { expires_at: toTime(expiresAt), cancel_requested: task.cancel_requested_at !== null };
      return { status: 200, json: JSON.stringify(reply) };
    },

    async putResult({ params, body, req }: Input<typeof putResult>): Promise<Reply> {
      const { token, status, result = null, error = null, ...used } = body;
      const ref = requireRef(params);
      const digest = digestOf({ status, result, error, ...used });
      const reported = { status, result, used, digest, error: error ?? (status === 'failed' ? UNEXPLAINED : null) };
      const isRepeated = ({ reported: last }: TaskState) =>
        last?.lease === ref.number && last.digest === digest && isSame(last.token, token);
      let worker: string | undefined;
      const rule = (stored: StoredTask, now: number) => {
        worker = stored.state.lease?.workerId;
        return rules.report(stored, reported, now);
      };
      const changed = requireChanged(await changeHeld(ref, token, rule, isRepeated));
      if (changed.outcome === 'changed' && worker !== undefined) activity.seeLease(worker, clientOf(req), status);
      return { status: 200, json: changed.json };
    },

    async releaseLease({ params, req }: Input<typeof releaseLease>): Promise<Reply> {
      const token = req.headers['x-lease-token'];
      if (typeof token !== 'string' || token === '') {
        await requireLease(params);
        throw validationError([{ path: 'X-Lease-Token', code: 'required', message: 'is required' }]);
      }
      requireChanged(await release(requireRef(params), token));
      return { status: 204 };
    },
  };
}

/** Finds why this is not the task's current lease, by its fencing token. */
function findProblem({ lease, leases }: TaskState, ref: LeaseRef, token: string, now: number) {
  if (ref.number > leases) return 'unknown';
  const isHeld = lease?.number === ref.number && isSame(lease.token, token) && lease.expiresAt > now;
  return isHeld ? undefined : 'lost';
}

/** @throws 409 `lease_lost`; 404 when the lease never existed or its task was deleted */
function requireChanged(changed: Changed<LeaseProblem>): Extract<Changed<LeaseProblem>, { json: string }> {
  if ('json' in changed) return changed;
  throw changed.outcome === 'refused' && changed.refused === 'lost' ? leaseLost() : leaseNotFound();
}

function isSame(expected: string, given: string): boolean {
  const one = Buffer.from(expected);
  const other = Buffer.from(given);
  return one.length === other.length && timingSafeEqual(one, other);
}
