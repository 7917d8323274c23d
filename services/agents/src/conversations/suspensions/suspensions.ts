import type { Input, Reply } from '@agent-fleet/shared/contract/operation';
import { httpError, semanticError } from '@agent-fleet/shared/http/errors';
import { requireRef } from '../../contract/leases.ts';
import { digestOf } from '../../idempotency/idempotency.ts';
import type { FleetContext } from '../../redis/fleet-context.ts';
import { isReported } from '../../tasks/held-tasks.ts';
import type { Conversation } from '../../tasks/rules/conversation.ts';
import { suspend } from '../../tasks/rules/conversation-rules.ts';
import type { StoredTask, TaskState } from '../../tasks/rules/task-state.ts';
import type { Suspension } from '../../tasks/rules/task-transitions.ts';
import type { Tasks } from '../../tasks/tasks.ts';
import type { RequestStore } from '../requests/request-store.ts';
import type { suspendLease } from './contract.ts';
import { createSessionCipher } from './session-cipher.ts';

interface SuspensionParts {
  tasks: Tasks;
  requests: RequestStore;
}

/** The operation that suspends an attempt, and what the next one goes on with. */
export function createSuspensions({ redis, keys, config, logger }: FleetContext, { tasks, requests }: SuspensionParts) {
  const cipher = createSessionCipher(config.sessionKeys);

  function encrypt(data: string | null | undefined, taskId: string): string {
    if (data == null) return '';
    if (!cipher) throw noKey();
    return cipher.encrypt(data, taskId);
  }

  function decrypt(data: string, taskId: string): string | null {
    const decrypted = cipher?.decrypt(data, taskId) ?? null;
    if (decrypted === null) logger.warn({ task_id: taskId }, 'cannot decrypt a suspended session: its key is missing');
    return decrypted;
  }

  /** What is stored of a session. @throws 422 when its data cannot be encrypted */
  function toSuspension({ session, state }: Partial<Input<typeof suspendLease>['body']>, taskId: string): Suspension {
    const data = encrypt(session?.data, taskId);
    return {
      isBound: session != null && data === '',
      session: session ? JSON.stringify({ runtime: session.runtime, id: session.id }) : '',
      data,
      state: state === undefined ? '' : JSON.stringify(state),
    };
  }

  return {
    toSuspension,

    async suspend({ params, body }: Input<typeof suspendLease>): Promise<Reply> {
      const { token, session, state } = body;
      const ref = requireRef(params);
      const digest = digestOf({ session, state });
      const suspension = toSuspension(body, ref.taskId);
      const rule = (stored: StoredTask, now: number) =>
        stored.state.conversation?.open.length ? suspend(stored, suspension, now, digest) : { refused: nothingOpen() };
      const isRepeated = (known: TaskState) => isReported(known, ref, token, digest);
      const changed = await tasks.held.changeHeld(ref, token, rule, isRepeated);
      return { status: 200, json: changed.json };
    },

    /** The JSON of what an attempt goes on with; undefined when its task was not suspended. */
    async readResume(taskId: string, conversation: Conversation | undefined): Promise<string | undefined> {
      const { suspended } = conversation ?? {};
      if (!suspended) return undefined;
      const [fields, answers] = await Promise.all([
        redis.hmget(keys.suspension(taskId), 'session', 'data', 'state'),
        Promise.all(suspended.answers.map(({ id }) => requests.read(taskId, id))),
      ]);
      const [session, data, state] = fields;
      const carried = session && { ...JSON.parse(session), data: data ? decrypt(data, taskId) : null };
      const found = answers.filter((answer) => answer !== undefined).join(',');
      return `{"session":${JSON.stringify(carried || null)},"state":${state || 'null'},"answers":[${found}]}`;
    },
  };
}

const nothingOpen = () => httpError('nothing_to_wait_for', 'Nothing is open: read the inbox');

const noKey = () =>
  semanticError({
    path: 'session.data',
    code: 'no_encryption_key',
    message: 'cannot be kept: SESSION_ENCRYPTION_KEY is not set',
  });
