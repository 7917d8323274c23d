export const TASK_STATUSES = ['pending', 'running', 'input_required', 'completed', 'failed', 'cancelled'] as const;
export const AGENT_STATUSES = ['active', 'waiting', 'idle', 'error', 'offline'] as const;

export type Tone = 'ok' | 'warn' | 'error' | 'info' | 'ask' | 'neutral';

const TONES: Record<string, Tone> = {
  // Tasks
  running: 'info',
  input_required: 'ask',
  completed: 'ok',
  failed: 'error',
  cancelled: 'warn',
  // Agents
  active: 'info',
  waiting: 'ask',
  error: 'error',
  offline: 'warn',
  paused: 'warn',
};

/** The status of a task or an agent in words. */
export function statusWord(status: string): string {
  return status === 'input_required' ? 'needs input' : status;
}

/** Of the status of a task or an agent. */
export function toneOf(status: string): Tone {
  return TONES[status] ?? 'neutral';
}
