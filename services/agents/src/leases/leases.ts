import { timingSafeEqual } from 'node:crypto';
import type { Input, Reply } from '@agent-fleet/shared/contract/operation';
import { detailError, HttpError, httpError, validationError } from '@agent-fleet/shared/http/errors';
import type { Logger } from '@agent-fleet/shared/logger';
import type { Response } from 'express';
import { digestOf } from '../digest.ts';
import * as rules from '../tasks/task-rules.ts';
import type { Lease, TaskState } from '../tasks/task-state.ts';
import { type StoredTask, type TaskChange, toTime } from '../tasks/task-transitions.ts';
import type { ChangedTask, TaskWriter } from '../tasks/task-writer.ts';
import type { createLeaseFromTypes, heartbeat, leaseFromAgent, putResult, releaseLease } from './contract.ts';
import type { Holder, LeaseAcquirer, LeasedTask } from './lease-acquirer.ts';
import { type LeaseRef, parseLeaseId, toLeaseId } from './lease-id.ts';
import type { WorkNotifier } from './work-notifier.ts';

/** Heartbeats per lease duration: two may be lost. */
const HEARTBEATS_PER_LEASE = 3;

interface Dependencies {
  acquirer: LeaseAcquirer;
  notifier: WorkNotifier;
  taskWriter: TaskWriter;
  /** @throws 404 */
  requireAgent(params: { agent_id: string }): Promise<void>;
  logger: Logger;
}

/** The operations of workers: acquire, keep, complete and release leases. */
export function createLeases({ acquirer, notifier, taskWriter, requireAgent, logger }: Dependencies) {
  return {
    async leaseFromAgent({ params, body, res }: Input<typeof leaseFromAgent>): Promise<Reply> {
      const { agent_id } = params;
      await requireAgent(params);
      return respond(body, [`agent:${agent_id}`], res, (holder) => acquirer.acquireFromAgent(agent_id, holder));
    },

    async leaseFromTypes({ body, res }: Input<ReturnType<typeof createLeaseFromTypes>>): Promise<Reply> {
      const keys = body.types.map((type) => `type:${type}`);
      return respond(body, keys, res, (holder) => acquirer.acquireFromTypes(body.types, holder));
    },

    async heartbeat({ params, body }: Input<typeof heartbeat>): Promise<Reply> {
      const { state, task } = await changeHeld(params, body.token, (stored, held, now) =>
        rules.heartbeat(stored, held, body.progress, now),
      );
      const { expiresAt } = state.lease as Lease;
      const reply = { expires_at: toTime(expiresAt), cancel_requested: task.cancel_requested_at !== null };
      return { status: 200, json: JSON.stringify(reply) };
    },

    async putResult({ params, body }: Input<typeof putResult>): Promise<Reply> {
      const { token, status, result = null, error = null } = body;
      const digest = digestOf({ status, result, error });
      const reported = { status, result, digest, error: error ?? (status === 'failed' ? UNEXPLAINED : null) };
      const { json } = await changeHeld(
        params,
        token,
        (stored, held, now) => rules.report(stored, held, reported, now),
        ({ reported: last }, { number }) =>
          last?.lease === number && last.digest === digest && isSame(last.token, token),
      );
      return { status: 200, json };
    },

    async release({ params, req }: Input<typeof releaseLease>): Promise<Reply> {
      const token = req.headers['x-lease-token'];
      if (typeof token !== 'string' || token === '') {
        throw validationError([{ path: 'X-Lease-Token', code: 'required', message: 'is required' }]);
      }
      await changeHeld(params, token, (stored, _held, now) => rules.release(stored, now));
      return { status: 204 };
    },
  };

  async function respond(
    request: Input<typeof leaseFromAgent>['body'],
    keys: readonly string[],
    res: Response,
    take: (holder: Holder) => Promise<LeasedTask | undefined>,
  ): Promise<Reply> {
    const holder = { workerId: request.worker_id, leaseSeconds: request.lease_seconds };
    const acquireSome = () => acquireUpTo(request.max_tasks, () => take(holder));
    const leased = await waitFor(acquireSome, keys, request.wait_seconds * 1_000, res);
    if (leased.length === 0) return { status: 204 };
    if (res.closed) await Promise.all(leased.map(releaseUnclaimed));
    if (leased.at(-1)?.more) notifier.notify(keys, 1);
    return { status: 201, json: `{"leases":[${leased.map(toJson).join(',')}]}` };
  }

  /** Acquires what is ready now, else tries again at each wakeup, until the wait ends or the client disconnects. */
  async function waitFor(
    acquireSome: () => Promise<LeasedTask[]>,
    keys: readonly string[],
    waitMs: number,
    res: Response,
  ): Promise<LeasedTask[]> {
    if (waitMs === 0) return acquireSome();
    const until = Date.now() + waitMs;
    const listener = notifier.listen(keys);
    res.once('close', listener.close);
    try {
      for (;;) {
        const leased = await acquireSome();
        if (leased.length > 0 || res.closed || !(await listener.wait(until - Date.now()))) return leased;
      }
    } finally {
      res.off('close', listener.close);
      listener.close();
    }
  }

  async function acquireUpTo(max: number, take: () => Promise<LeasedTask | undefined>): Promise<LeasedTask[]> {
    const leased: LeasedTask[] = [];
    try {
      while (leased.length < max) {
        const next = await take();
        if (!next) break;
        leased.push(next);
      }
    } catch (error) {
      // Leases that are acquired already must reach the worker.
      if (leased.length === 0) throw error;
      logger.warn({ err: error }, 'leased fewer tasks than requested');
    }
    return leased;
  }

  /** Releases a lease whose client has disconnected; otherwise the task would wait until the lease expires. */
  async function releaseUnclaimed({ agentId, taskId, lease: { number, token } }: LeasedTask): Promise<void> {
    const lease_id = toLeaseId({ agentId, taskId, number });
    await changeHeld({ lease_id }, token, (stored, _held, now) => rules.release(stored, now)).catch((error: unknown) =>
      logger.warn({ err: error, task_id: taskId }, 'failed to release an abandoned lease'),
    );
  }

  /** Changes a task for the holder of its lease. If `isRepeated`, the request was handled before: nothing changes. */
  async function changeHeld(
    { lease_id }: { lease_id: string },
    token: string,
    rule: (stored: StoredTask, held: Lease, now: number) => TaskChange,
    isRepeated: (state: TaskState, ref: LeaseRef) => boolean = () => false,
  ): Promise<ChangedTask> {
    const ref = parseLeaseId(lease_id);
    if (!ref) throw leaseNotFound();
    try {
      return await taskWriter.change(ref.agentId, ref.taskId, (stored, now) => {
        if (isRepeated(stored.state, ref)) return undefined;
        return rule(stored, requireHeld(stored, ref, token, now), now);
      });
    } catch (error) {
      throw error instanceof HttpError && error.status === 404 ? leaseNotFound() : error;
    }
  }
}

const UNEXPLAINED = { code: 'failed', message: 'The worker gave no reason', retryable: true };

/**
 * The token is a fencing token.
 * @throws 409 `lease_lost` unless it is the task's current lease; 404 when the lease never existed
 */
function requireHeld({ state }: StoredTask, ref: LeaseRef, token: string, now: number): Lease {
  const { lease, leases } = state;
  if (ref.number > leases) throw leaseNotFound();
  if (lease?.number === ref.number && isSame(lease.token, token) && lease.expiresAt > now) return lease;
  throw httpError('lease_lost', 'The lease is no longer held: nothing was changed');
}

function leaseNotFound(): HttpError {
  return detailError(404, 'Lease not found');
}

function isSame(expected: string, given: string): boolean {
  const one = Buffer.from(expected);
  const other = Buffer.from(given);
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Inserts the task as its stored text. */
function toJson({ agentId, taskId, lease, attempt, json }: LeasedTask): string {
  const head = JSON.stringify({ id: toLeaseId({ agentId, taskId, number: lease.number }), token: lease.token });
  const tail = JSON.stringify({
    attempt,
    expires_at: toTime(lease.expiresAt),
    heartbeat_interval_seconds: Math.max(1, Math.floor(lease.leaseSeconds / HEARTBEATS_PER_LEASE)),
  });
  return `${head.slice(0, -1)},"task":${json},${tail.slice(1)}`;
}
