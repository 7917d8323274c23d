import type { Input, Reply } from '@agent-fleet/shared/contract/operation';
import { clientOf } from '../contract/callers.ts';
import type { LeaseRef } from '../contract/ids.ts';
import { requireRef } from '../contract/leases.ts';
import { digestOf } from '../idempotency/idempotency.ts';
import { type HeldTasks, isReported } from '../tasks/held-tasks.ts';
import * as rules from '../tasks/rules/task-rules.ts';
import { type Lease, type StoredTask, type TaskState, toTime } from '../tasks/rules/task-state.ts';
import type { WorkerActivity } from '../workers/worker-activity.ts';
import type { heartbeat, putResult, releaseLease } from './contract.ts';

const UNEXPLAINED = { code: 'failed', message: 'The worker gave no reason', retryable: true };

export type HeldLeases = ReturnType<typeof createHeldLeases>;

/** The operations on a lease that its holder sends, with its fencing token. */
export function createHeldLeases({ changeHeld, requireLease, requireToken }: HeldTasks, activity: WorkerActivity) {
  const release = (ref: LeaseRef, token: string) => changeHeld(ref, token, rules.release);

  return {
    release,
    requireLease,

    async heartbeatLease({ params, body, req }: Input<typeof heartbeat>): Promise<Reply> {
      const { token, ...reported } = body;
      const { state, task } = await changeHeld(requireRef(params), token, (stored, now) =>
        rules.heartbeat(stored, reported, now),
      );
      const { lease, conversation } = state as TaskState;
      const { expiresAt, workerId } = lease as Lease;
      activity.seeLease(workerId, clientOf(req));
      const reply = {
        expires_at: toTime(expiresAt),
        cancel_requested: task.cancel_requested_at !== null,
        inbox: conversation?.last ?? 0,
      };
      return { status: 200, json: JSON.stringify(reply) };
    },

    async putResult({ params, body, req }: Input<typeof putResult>): Promise<Reply> {
      const { token, status, result = null, error = null, ...used } = body;
      const ref = requireRef(params);
      const digest = digestOf({ status, result, error, ...used });
      const reported = { status, result, used, digest, error: error ?? (status === 'failed' ? UNEXPLAINED : null) };
      const isRepeated = (state: TaskState) => isReported(state, ref, token, digest);
      let worker: string | undefined;
      const rule = (stored: StoredTask, now: number) => {
        worker = stored.state.lease?.workerId;
        return rules.report(stored, reported, now);
      };
      const changed = await changeHeld(ref, token, rule, isRepeated);
      if (changed.outcome === 'changed' && worker !== undefined) activity.seeLease(worker, clientOf(req), status);
      return { status: 200, json: changed.json };
    },

    async releaseLease({ params, req }: Input<typeof releaseLease>): Promise<Reply> {
      await release(requireRef(params), await requireToken(req, params));
      return { status: 204 };
    },
  };
}
