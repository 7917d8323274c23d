import { isId } from '@agent-fleet/shared/ids';

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
