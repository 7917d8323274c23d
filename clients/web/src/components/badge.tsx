import type { ComponentChildren } from 'preact';
import './styles/badge.css';

export type Tone = 'ok' | 'warn' | 'error' | 'info' | 'neutral';

export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge badge-${tone}`}>{children}</span>;
}

const TONES: Record<string, Tone> = {
  // Tasks
  pending: 'neutral',
  scheduled: 'neutral',
  running: 'info',
  completed: 'ok',
  failed: 'error',
  cancelled: 'warn',
  // Agents
  idle: 'neutral',
  active: 'info',
  error: 'error',
  offline: 'warn',
  paused: 'warn',
};

/** The status of a task or an agent: a dot in its colour, and the word. */
export function StatusBadge({ status }: { status: string }) {
  return (
    <span class={`badge badge-${TONES[status] ?? 'neutral'}`}>
      <span class={`dot${status === 'running' || status === 'active' ? ' dot-live' : ''}`} aria-hidden="true" />
      {status}
    </span>
  );
}
