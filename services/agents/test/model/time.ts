import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import { until } from '@agent-fleet/shared/testing/until';
import type { Keys } from '../../src/redis/keys.ts';
import { readClock } from '../database/snapshot.ts';
import type { Pass } from './entities.ts';

/** A claimed timer moves by 5 s; a completed one by more than this, also when only the end of a reservation is left. */
const COMPLETED_MS = 10_000;
const DAY_MS = 86_400_000;
/** A replica measures Redis' clock as exactly as half of a round trip, which takes long on a busy machine. */
const OVERDUE_MS = 1_000;
const INTERRUPTION_MS = 5_000;
const RETENTION_MS = 7 * DAY_MS;

type Stored = Record<string, unknown>;
type StoredState = Stored & { lease: Stored; reservation: Stored; conversation: { open: Stored[] } };

/** Lets a deadline of one task pass by moving its stored times into the past of Redis' clock. */
export function createTime(redis: RedisClient, keys: Keys) {
  return {
    /** Moves the deadline into the past, without a timer. */
    async overrun(pass: Pass): Promise<void> {
      const { key, text } = await toOverdue(pass);
      await redis.set(key, text);
    },

    /** Moves an interruption of a task far ahead, so that the service does not apply it by itself. */
    async hold(taskId: string): Promise<void> {
      const key = keys.state(taskId);
      const text = (await redis.get(key)) ?? '';
      const later = text.replace(/"interruptedAt":\d+/, `"interruptedAt":${(await readClock(redis)) + DAY_MS}`);
      if (later === text) return;
      const { lease, conversation } = JSON.parse(text.slice(text.indexOf(' '))) as StoredState;
      const change = redis.multi().set(key, later);
      if (lease && conversation.open.length === 0) change.zadd(keys.timers, 'XX', Number(lease.expiresAt), taskId);
      await change.exec();
    },

    /** Triggers the timer; resolves when it has been handled. @throws Error after 60 s */
    async notice({ taskId }: Pass): Promise<void> {
      await redis.zadd(keys.timers, 'XX', await readClock(redis), taskId);
      await untilHandled(taskId);
    },

    /** Moves the deadline and its timer into the past at once; resolves as above. */
    async pass(pass: Pass): Promise<void> {
      const { key, text, due } = await toOverdue(pass);
      const change = redis.multi().set(key, text).zadd(keys.timers, due, pass.taskId);
      if (pass.what === 'retention') change.zadd(keys.ended(pass.agentId), due - RETENTION_MS, pass.taskId);
      await change.exec();
      await untilHandled(pass.taskId);
    },
  };

  async function toOverdue({ taskId, what }: Pass): Promise<{ key: string; text: string; due: number }> {
    const isOfState = what !== 'expiry' && what !== 'start' && what !== 'retention';
    const due = (await readClock(redis)) - (what === 'retention' ? DAY_MS : OVERDUE_MS);
    const key = isOfState ? keys.state(taskId) : keys.task(taskId);
    const text = (await redis.get(key)) as string;
    return { key, due, text: isOfState ? changeState(text, what, due) : changeRecord(text, what, due) };
  }

  async function untilHandled(taskId: string): Promise<void> {
    const isHandled = async () => {
      const [due, now] = await Promise.all([redis.zscore(keys.timers, taskId), readClock(redis)]);
      return due === null || Number(due) > now + COMPLETED_MS;
    };
    await until(isHandled, { timeoutMs: 60_000, message: `the timer of ${taskId} is handled` });
  }
}

/** The state is the number of the task's last event and JSON. */
function changeState(text: string, what: Pass['what'], due: number): string {
  const end = text.indexOf(' ') + 1;
  const state = JSON.parse(text.slice(end)) as StoredState;
  return `${text.slice(0, end)}${JSON.stringify({ ...state, ...toChange(state, what, due) })}`;
}

function toChange({ lease, reservation, conversation }: StoredState, what: Pass['what'], due: number): object {
  if (what === 'reservation') return { reservation: { ...reservation, until: due } };
  if (what === 'interruption') return { conversation: { ...conversation, interruptedAt: due - INTERRUPTION_MS } };
  if (what === 'request') {
    const [first, ...open] = conversation.open;
    return { conversation: { ...conversation, open: [{ ...first, expiresAt: due }, ...open] } };
  }
  return { lease: { ...lease, expiresAt: due, ...(what === 'timeout' && { deadline: due }) } };
}

function changeRecord(text: string, what: Pass['what'], due: number): string {
  const task = JSON.parse(text) as Stored;
  const time = new Date(due).toISOString();
  if (what === 'expiry') return JSON.stringify({ ...task, expires_at: time });
  if (what === 'retention') {
    return JSON.stringify({ ...task, completed_at: new Date(due - RETENTION_MS).toISOString() });
  }
  return JSON.stringify({
    ...task,
    ...(task.scheduled_at !== null && { scheduled_at: time }),
    ...(task.next_attempt_at !== null && { next_attempt_at: time }),
  });
}
