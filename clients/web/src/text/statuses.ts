export const TASK_STATUSES = ['pending', 'running', 'completed', 'failed', 'cancelled'] as const;
export const AGENT_STATUSES = ['active', 'idle', 'error', 'offline'] as const;

export type Tone = 'ok' | 'warn' | 'error' | 'info' | 'neutral';

const TONES: Record<string, Tone> = {
  // Tasks
  running: 'info',
  completed: 'ok',
  failed: 'error',
  cancelled: 'warn',
  // Agents
  active: 'info',
  error: 'error',
  offline: 'warn',
  paused: 'warn',
};

/** Of the status of a task or an agent. */
export function toneOf(status: string): Tone {
  return TONES[status] ?? 'neutral';
}
