import type { GivenTask, Report } from './model.ts';

/** An operation, with all data to send it and to judge its response. */
export type Operation =
  | { kind: 'create'; agentId: string; given: GivenTask; key?: string }
  | { kind: 'batch'; agentId: string; given: (GivenTask | null)[] }
  | ({ kind: 'replace'; given: GivenTask } & TaskTarget)
  | ({ kind: 'delete' } & TaskTarget)
  | ({ kind: 'cancel'; reason: string | null } & TaskTarget)
  | { kind: 'lease'; agentId: string; worker: string; max: number }
  | { kind: 'leaseTypes'; types: string[]; worker: string; max: number }
  | ({ kind: 'heartbeat'; progress?: { percent: number; message: null } } & LeaseTarget)
  | ({ kind: 'result'; report: Report } & LeaseTarget)
  | ({ kind: 'release' } & LeaseTarget)
  | { kind: 'replaceAgent'; agentId: string; name: string; type: string }
  | { kind: 'deleteAgent'; agentId: string }
  | ({ kind: 'pass'; what: Passing } & TaskTarget);

/** A deadline: of a lease, an attempt, a task, its start or its retention. */
export type Passing = 'lease' | 'timeout' | 'expiry' | 'start' | 'retention';

interface TaskTarget {
  agentId: string;
  taskId: string;
  /** The entity tag that the client knows, and the matching version in the model. */
  match?: { etag: string; version: number };
}

interface LeaseTarget {
  agentId: string;
  taskId: string;
  number: number;
  token: string;
}

/** A received task; its other fields are compared with the model. */
export interface AnsweredTask {
  id: string;
  agent_id: string;
  [field: string]: unknown;
}

export interface AnsweredLease {
  id: string;
  token: string;
  attempt: number;
  task: AnsweredTask;
}

/** The union of all response bodies. */
export interface AnswerBody extends AnsweredTask {
  results: { status: number; task?: AnsweredTask }[];
  leases: AnsweredLease[];
}

export interface Answer<Body = AnswerBody> {
  status: number;
  body: Body;
  etag?: string;
  /** `X-Total-Count` of a list. */
  total?: number;
}

/** The request of an operation; deadlines have none. */
export function toRequest(operation: Exclude<Operation, { kind: 'pass' }>): RequestOf {
  switch (operation.kind) {
    case 'create': {
      const headers = operation.key ? { 'idempotency-key': operation.key } : undefined;
      return { method: 'POST', path: `/agents/${operation.agentId}/tasks`, body: toBody(operation.given), headers };
    }
    case 'batch': {
      const tasks = operation.given.map((given) => (given ? toBody(given) : { message: '' }));
      return { method: 'POST', path: `/agents/${operation.agentId}/task-batches`, body: { tasks } };
    }
    case 'replace':
      return { method: 'PUT', path: taskPath(operation), body: toBody(operation.given), headers: ifMatch(operation) };
    case 'delete':
      return { method: 'DELETE', path: taskPath(operation), headers: ifMatch(operation) };
    case 'cancel':
      return { method: 'PUT', path: `${taskPath(operation)}/cancellation`, body: { reason: operation.reason } };
    case 'lease': {
      const body = { worker_id: operation.worker, max_tasks: operation.max, lease_seconds: 600 };
      return { method: 'POST', path: `/agents/${operation.agentId}/leases`, body };
    }
    case 'leaseTypes': {
      const { worker, max, types } = operation;
      return {
        method: 'POST',
        path: '/leases',
        body: { worker_id: worker, max_tasks: max, lease_seconds: 600, types },
      };
    }
    case 'heartbeat': {
      const { token, progress } = operation;
      return { method: 'PUT', path: `${leasePath(operation)}/heartbeat`, body: { token, progress } };
    }
    case 'result':
      return {
        method: 'PUT',
        path: `${leasePath(operation)}/result`,
        body: { token: operation.token, ...operation.report },
      };
    case 'release':
      return { method: 'DELETE', path: leasePath(operation), headers: { 'x-lease-token': operation.token } };
    case 'replaceAgent': {
      const { agentId, name, type } = operation;
      return { method: 'PUT', path: `/agents/${agentId}`, body: { name, type } };
    }
    case 'deleteAgent':
      return { method: 'DELETE', path: `/agents/${operation.agentId}` };
  }
}

export interface RequestOf {
  method: string;
  path: string;
  body?: object;
  headers?: Record<string, string>;
}

/** Constant, so that a request can be repeated. */
const SCHEDULED_AT = new Date(Date.now() + 4 * 3_600_000).toISOString();
const taskPath = ({ agentId, taskId }: TaskTarget) => `/agents/${agentId}/tasks/${taskId}`;
const leasePath = ({ agentId, taskId, number }: LeaseTarget) => `/leases/${agentId}.${taskId}.${number}`;
const ifMatch = ({ match }: TaskTarget) => (match ? { 'if-match': match.etag } : undefined);

function toBody({ message, priority, max_attempts, tags, retryWaits, scheduled }: GivenTask): object {
  return {
    message,
    priority,
    max_attempts,
    tags,
    retry_policy: { strategy: 'fixed', delay_seconds: retryWaits ? 3_600 : 0, jitter: 0 },
    ...(scheduled && { scheduled_at: SCHEDULED_AT }),
  };
}
