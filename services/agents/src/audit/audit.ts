import { setTimeout as sleep } from 'node:timers/promises';
import { toAuditJson } from '@agent-fleet/access/audit';
import type { Binding } from '@agent-fleet/shared/contract/operation';
import { unavailable } from '@agent-fleet/shared/http/errors';
import { type Caller, PRINCIPAL_HEADER, readCaller } from '@agent-fleet/shared/http/internal-access';
import { REQUEST_ID_HEADER } from '@agent-fleet/shared/http/request-id';
import type { Request } from 'express';
import { clientOf } from '../contract/callers.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import { type AuditOutbox, createAuditOutbox } from './outbox.ts';

/** The changes that are in the audit trail when a person makes them, by the target: workers make none of these. */
type Action =
  | `agent.${'created' | 'replaced' | 'deleted' | 'paused' | 'resumed' | 'definition_replaced' | 'definition_deleted'}`
  | `task.${'created' | 'replaced' | 'deleted' | 'cancelled' | 'retried' | 'interrupted' | 'message_sent' | 'input_answered'}`
  | `tasks.created`
  | `budget.${'replaced' | 'deleted'}`
  | `bulk_action.${'created' | 'stopped'}`;

/** The scopes of operations with such changes; answers of programs are there, too. */
const AUDITED: readonly unknown[] = ['agents:write', 'tasks:write', 'tasks:answer', 'budgets:admin'];
/** How long a reply waits for the audit trail. */
const WAIT_MS = 1_000;

/**
 * The entry of a change, for its script; undefined unless a person makes it. `id`: of the target, for `tasks.created`
 * of the agent.
 */
export function auditOf(
  req: Request,
  action: Action,
  id: string,
  details?: Record<string, string>,
): string | undefined {
  return isPerson(req) ? toEntry(req, action, id, details) : undefined;
}

/** The entry of an answer, whoever gives it. `id`: of the task. */
export function auditAnswer(req: Request, id: string, details: Record<string, string>): string | undefined {
  return readCaller(req) ? toEntry(req, 'task.input_answered', id, details) : undefined;
}

function toEntry(req: Request, action: Action, id: string, details?: Record<string, string>): string {
  const { type: callerType, id: callerId, name } = readCaller(req) as Caller;
  const [type = ''] = action.split('.');
  return toAuditJson({
    actor: { type: callerType, id: callerId, name },
    action,
    target: { type: type === 'tasks' ? 'agent' : type, id },
    outcome: 'success',
    address: clientOf(req),
    request_id: req.headers[REQUEST_ID_HEADER]?.toString() ?? null,
    ...(details && { details }),
  });
}

export function createAudit(context: FleetContext) {
  const outbox = createAuditOutbox(context);
  return { outbox, audited: createAudited(outbox) };
}

/**
 * The result adds to the binding of an operation that the change of a person is in the audit trail before the reply. If
 * the trail is unavailable, the entry stays in the outbox, until a later request or the background job moves it.
 */
function createAudited({ isFull, move }: AuditOutbox) {
  return (binding: Binding): Binding => {
    const { operation, handler } = binding;
    if (!AUDITED.includes(operation.scope)) return binding;

    return {
      ...binding,
      async handler(input) {
        if (!isPerson(input.req) && operation.scope !== 'tasks:answer') return handler(input);
        if (isFull()) {
          void move();
          throw unavailable('The audit trail is unavailable', 5, undefined, 'audit');
        }
        const reply = await handler(input);
        await Promise.race([move(), sleep(WAIT_MS, undefined, { ref: false })]);
        return reply;
      },
    };
  };
}

function isPerson({ headers }: Request): boolean {
  const principal = headers[PRINCIPAL_HEADER]?.toString();
  return principal !== undefined && !principal.startsWith('key:');
}
