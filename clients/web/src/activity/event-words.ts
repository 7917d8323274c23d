import type { Event } from '@agent-fleet/sdk';
import { type Tone, toneOf } from '../text/statuses.ts';

const WORDS: Record<Event['type'], readonly [string, Tone]> = {
  'agent.created': ['Agent created', 'neutral'],
  'agent.replaced': ['Agent changed', 'neutral'],
  'agent.deleted': ['Agent deleted', 'neutral'],
  'agent.status': ['Agent', 'neutral'],
  'agent.paused': ['Agent paused', 'warn'],
  'budget.warning': ['Budget nearly used up', 'warn'],
  'budget.reached': ['Budget used up', 'warn'],
  'agent.resumed': ['Agent resumed', 'neutral'],
  'agent.definition_replaced': ['Definition changed', 'neutral'],
  'agent.definition_deleted': ['Definition deleted', 'warn'],
  'task.created': ['Task created', 'neutral'],
  'task.replaced': ['Task changed', 'neutral'],
  'task.leased': ['Task started', 'info'],
  'task.progress': ['Task in progress', 'info'],
  'task.released': ['Task released', 'warn'],
  'task.retry': ['Task will be retried', 'warn'],
  'task.parked': ['Task parked', 'warn'],
  'task.completed': ['Task completed', 'ok'],
  'task.failed': ['Task failed', 'error'],
  'task.input_required': ['Input requested', 'ask'],
  'task.input_answered': ['Input request answered', 'info'],
  'task.input_expired': ['Input request expired', 'warn'],
  'task.input_withdrawn': ['Input request withdrawn', 'neutral'],
  'task.suspended': ['Task suspended', 'ask'],
  'task.cancel_requested': ['Cancellation requested', 'warn'],
  'task.cancelled': ['Task cancelled', 'warn'],
  'task.deleted': ['Task deleted', 'neutral'],
  resync: ['Earlier events were missed', 'warn'],
};

export interface EventWords {
  text: string;
  tone: Tone;
  /** What else is known: the worker, the error, the progress, the reason. */
  detail: string | undefined;
}

/** What happened, in words. The detail is untrusted text: show it by `safeLine`. */
export function eventWords({ type, status = '', data }: Event): EventWords {
  const [text, tone] = WORDS[type] ?? [type, 'neutral'];
  if (type === 'agent.status') return { text: `Agent is ${status}`, tone: toneOf(status), detail: undefined };
  return { text, tone, detail: detailOf(data, status) };
}

interface Data {
  worker_id?: unknown;
  reason?: unknown;
  progress?: { percent?: unknown; message?: unknown } | null;
  error?: { code?: unknown; message?: unknown } | null;
}

/** Without what the status says. */
function detailOf(data: Data = {}, status: string): string | undefined {
  const { worker_id: worker, reason, progress, error } = data;
  const parts = [
    error?.code,
    error?.message,
    typeof progress?.percent === 'number' && `${progress.percent} %`,
    progress?.message,
    worker,
    reason,
  ];
  const texts = parts.filter((part) => typeof part === 'string');
  return texts.filter((text) => text !== '' && text.toLowerCase() !== status).join(' · ') || undefined;
}
