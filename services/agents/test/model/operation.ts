import type { Reply as AnyReply, Request } from '../support/send.ts';
import type { Model, Pass, Report, TaskRef } from './entities.ts';

interface TaskBody {
  id: string;
  agent_id: string;
  [field: string]: unknown;
}

interface ItemBody {
  n: number;
  type: string;
  request_id?: string;
  message_id?: string;
  answer?: AnswerBody;
}

type AnswerBody = { text: string | null; option_ids: string[] | null } | null;

export interface LeaseBody {
  id: string;
  resume?: { answers: { key: string }[] };
  token: string;
  attempt: number;
  task: TaskBody;
}

/** The union of all response bodies. */
export interface ReplyBody extends TaskBody {
  results: { status: number; task?: TaskBody }[];
  leases: LeaseBody[];
  items: ItemBody[];
  answer: AnswerBody;
}

export type Reply = AnyReply<ReplyBody>;

/** The circumstances of an operation. */
export interface Occasion {
  step: number;
  /** Whether no other operation runs concurrently: a lease request then takes all ready tasks in order. */
  alone: boolean;
}

/** Applies the operation to the model according to its reply. @throws Refused when the model does not allow it */
export type Accept = (model: Model, reply: Reply, occasion: Occasion) => void;

/** A request, or a deadline that passes, with the rule of the model for it. */
export interface Operation {
  isLease?: boolean;
  request?: Request;
  pass?: Pass;
  /** The task that it interrupts: the service must not do so by itself, which the model does not know. */
  interrupts?: TaskRef;
  accept: Accept;
  remember?(known: Known, reply: Reply): void;
}

export interface LeaseRef extends TaskRef {
  number: number;
  token: string;
}

/** An entity tag, and the matching version in the model. */
export interface Match {
  etag: string;
  version: number;
}

/** An input request as it is listed. */
export interface RequestRef {
  id: string;
  key: string;
  kind: string;
  state: string;
}

export const taskPath = ({ agentId, taskId }: TaskRef) => `/agents/${agentId}/tasks/${taskId}`;
export const leasePath = ({ agentId, taskId, number }: LeaseRef) => `/leases/${agentId}.${taskId}.${number}`;

/** What clients know so far: the tasks and leases that they received, and the requests that they may repeat. */
export interface Known {
  types: readonly string[];
  tasks: TaskRef[];
  leases: LeaseRef[];
  created: Operation[];
  said: (TaskRef & { messageId: string })[];
  reported: { lease: LeaseRef; report: Report }[];
}

/** A reply that the model does not allow. */
export class Refused extends Error {}
