import type { Input, Reply } from '@agent-fleet/shared/contract/operation';
import { toAmount } from '../agent-work/used.ts';
import { clientOf } from '../contract/callers.ts';
import type { LeaseRef } from '../contract/ids.ts';
import { leaseLost, requireRef } from '../contract/leases.ts';
import { digestOf } from '../idempotency/idempotency.ts';
import { isReported } from '../tasks/held-tasks.ts';
import * as rules from '../tasks/rules/task-rules.ts';
import { type StoredTask, type TaskState, toTime } from '../tasks/rules/task-state.ts';
import type { Suspension } from '../tasks/rules/task-transitions.ts';
import type { Tasks } from '../tasks/tasks.ts';
import type { WorkerActivity } from '../workers/worker-activity.ts';
import type { heartbeat, putResult, releaseLease } from './contract.ts';

const UNEXPLAINED = { code: 'failed', message: 'The worker gave no reason', retryable: true, retry_at: null };

export interface HeldLeasesParts {
  tasks: Pick<Tasks, 'held'>;
  activity: WorkerActivity;
  toSuspension: (given: Pick<Input<typeof putResult>['body'], 'session' | 'state'>, taskId: string) => Suspension;
}

export type HeldLeases = ReturnType<typeof createHeldLeases>;

/** The operations on a lease that its holder sends, with its fencing token. */
export function createHeldLeases({ tasks, activity, toSuspension }: HeldLeasesParts) {
  const { changeHeld, requireLease, requireToken } = tasks.held;
  const release = (ref: LeaseRef, token: string) => changeHeld(ref, token, rules.release);

  return {
    release,
    requireLease,

    async heartbeatLease({ params, body, req }: Input<typeof heartbeat>): Promise<Reply> {
      const { token, ...reported } = body;
      const ref = requireRef(params);
      const { state, task, left } = await changeHeld(ref, token, (stored, now) =>
        rules.heartbeat(stored, reported, now),
      );
      const { lease, conversation } = state as TaskState;
      if (!lease) throw leaseLost();
      if (left && left.micros <= 0) await changeHeld(ref, token, (stored) => rules.overspend(stored, left.until));
      const { expiresAt, workerId } = lease;
      activity.seeLease(workerId, clientOf(req));
      const reply = {
        expires_at: toTime(expiresAt),
        cancel_requested: task.cancel_requested_at !== null,
        inbox: conversation?.last ?? 0,
        cost_left: left ? { amount: toAmount(Math.max(0, left.micros)), currency: 'USD' } : null,
      };
      return { status: 200, json: JSON.stringify(reply) };
    },

    async putResult({ params, body, req }: Input<typeof putResult>): Promise<Reply> {
      const { token, status, result = null, error: given = null, session, state, ...used } = body;
      const ref = requireRef(params);
      const digest = digestOf({ status, result, error: given, session, state, ...used });
      const { retry_at, ...error } = given ?? UNEXPLAINED;
      const reported = {
        ...{ status, result, used, digest, error: given || status === 'failed' ? error : null },
        overspentUntil: undefined,
        retryAt: error.code === 'rate_limited' && error.retryable && retry_at ? Date.parse(retry_at) : Number.NaN,
        suspension: session ? toSuspension({ session, state }, ref.taskId) : undefined,
      };
      const isRepeated = (known: TaskState) => isReported(known, ref, token, digest);
      let worker: string | undefined;
      if (error.code === 'budget_exceeded') {
        // What it has cost in the end tells whether a budget is used up.
        const { left } = await changeHeld(ref, token, (stored) => rules.reportUse(stored, used), isRepeated);
        if (left && left.micros <= 0) Object.assign(reported, { overspentUntil: left.until });
      }
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
