import { isId } from '@agent-fleet/shared/ids';

const MAX_TIME = 2 ** 48 - 1;

/** A text that sorts after all ids of earlier times than this one in ms, and before the others. */
export function idPrefixAt(ms: number): string {
  const hex = Math.min(Math.max(ms, 0), MAX_TIME).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/**
 * The id of the `at`th task (0 to 4095) of a batch: the batch id with `at` in its 12 bits `rand_a`. The ids sort by
 * position and are the same when the batch is created again.
 */
export function idInBatch(batchId: string, at: number): string {
  return `${batchId.slice(0, 15)}${at.toString(16).padStart(3, '0')}${batchId.slice(18)}`;
}

/** The parts of a lease id. They name the task, so that a lease needs no index. */
export interface LeaseRef {
  agentId: string;
  taskId: string;
  /** Number of the lease within its task, from 1. */
  number: number;
}

export function toLeaseId({ agentId, taskId, number }: LeaseRef): string {
  return `${agentId}.${taskId}.${number}`;
}

/** Returns undefined for a text that is not a lease id. */
export function parseLeaseId(text: string): LeaseRef | undefined {
  const [, agentId = '', taskId = '', number] = /^([^.]{36})\.([^.]{36})\.([1-9]\d{0,14})$/.exec(text) ?? [];
  return isId(agentId) && isId(taskId) ? { agentId, taskId, number: Number(number) } : undefined;
}

/** Encodes a text for the name of an index: the result has no blanks and no colons. */
export function encodePart(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
