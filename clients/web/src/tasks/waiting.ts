import type { components, Task } from '@agent-fleet/sdk';
import { plural } from '../text/numbers.ts';
import { safeLine } from '../text/safe-text.ts';

export type Waiting = components['schemas']['Waiting'];

export interface WaitingWords {
  /** Why, in a few words. */
  title: string;
  text: string;
  /** The time that the text is about. */
  at?: string | null | undefined;
  /** What would let the task start. */
  remedy?: 'resume' | 'worker';
}

/** Why a pending task waits, and what to do. `record`: of the task, for the time of its start. */
export function waitingWords(
  { reason, since, until, worker_id = '', ahead = 0, accepts, missing_labels: labels, key, on = [] }: Waiting,
  record?: Pick<Task, 'scheduled_at' | 'next_attempt_at'>,
): WaitingWords {
  switch (reason) {
    case 'paused':
      return {
        title: 'The agent is paused',
        text: 'Its tasks wait until it is resumed. Paused',
        at: since,
        remedy: 'resume',
      };
    case 'dependencies':
      return {
        title: `Waiting for ${plural(on.length, 'task')}`,
        text: 'It starts when all of them have ended. It waits since',
        at: since,
      };
    case 'scheduled':
      return { title: 'Scheduled', text: 'It starts', at: record?.scheduled_at };
    case 'retry_delay':
      return { title: 'Waiting for the next attempt', text: 'It starts', at: record?.next_attempt_at };
    case 'provider_quota':
      return { title: "Waiting for its provider's limit", text: 'It goes on', at: until };
    case 'concurrency':
      return key
        ? {
            title: `Waiting for another task of “${safeLine(key)}”`,
            text: 'One of this key runs at a time. Since',
            at: since,
          }
        : { title: 'As many tasks of its agent run as may', text: 'It starts when one of them ends. Since', at: since };
    case 'reserved':
      return {
        title: 'Waiting for the worker that has its session',
        text: `It goes on at ${safeLine(worker_id)}. Any worker may start it`,
        at: until,
      };
    case 'no_worker':
      return {
        title: accepts
          ? `No worker takes it that accepts ${accepts.map(safeLine).join(' and ')}`
          : labels
            ? `No worker has ${labels.map(safeLine).join(' and ')}`
            : 'No worker takes tasks of this agent',
        text: since ? 'A worker last asked for them' : 'No worker has asked for them yet. Start one:',
        at: since,
        remedy: 'worker',
      };
    case 'in_line':
      return { title: placeInLine(ahead), text: 'In line since', at: since };
    default:
      return { title: 'Pending', text: 'It is about to start.' };
  }
}

function placeInLine(ahead: number): string {
  if (ahead === 0) return 'Next in line';
  return `${plural(ahead, 'task')} of its agent ${ahead === 1 ? 'goes' : 'go'} first`;
}
