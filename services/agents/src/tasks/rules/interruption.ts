import { createId } from '@agent-fleet/shared/ids';
import type { Task } from '../task.ts';

/** Keys of requests that the service opens. */
export const INTERRUPTION = 'interruption:';
export const STOP = 'stop';

const OPTIONS = [
  { id: 'continue', label: 'Continue', description: null, role: 'other' },
  { id: STOP, label: 'Stop', description: null, role: 'other' },
];
const EXPIRES_MS = 86_400_000;

/** Builds the request of the `number`th interruption of a task. */
export function toInterruption({ id: task_id, agent_id, attempt }: Task, number: number, now: number) {
  const id = createId(now);
  const key = `${INTERRUPTION}${number}`;
  const expiresAt = now + EXPIRES_MS;
  const record = JSON.stringify({
    id,
    agent_id,
    task_id,
    attempt,
    key,
    kind: 'question',
    title: 'Interrupted. What now?',
    text: null,
    tool: null,
    options: OPTIONS,
    multiple: false,
    allow_text: true,
    input_editable: false,
    schema: null,
    default: null,
    created_at: new Date(now).toISOString(),
    expires_at: new Date(expiresAt).toISOString(),
  });
  return { id, key, kind: 'question', title: 'Interrupted. What now?', expiresAt, hasDefault: false, record };
}
