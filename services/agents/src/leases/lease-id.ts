import { isId } from '../ids.ts';

/** What a lease's id says: whose it is, so that it needs no look-up. */
export interface LeaseRef {
  agentId: string;
  taskId: string;
  /** 1, 2, … of the task. */
  number: number;
}

export function toLeaseId({ agentId, taskId, number }: LeaseRef): string {
  return `${agentId}.${taskId}.${number}`;
}

/** Undefined for a text that can be no lease of ours. */
export function parseLeaseId(text: string): LeaseRef | undefined {
  const [, agentId = '', taskId = '', number] = /^([^.]{36})\.([^.]{36})\.([1-9]\d{0,14})$/.exec(text) ?? [];
  return isId(agentId) && isId(taskId) ? { agentId, taskId, number: Number(number) } : undefined;
}
