import { plural } from '../../text/numbers.ts';
import type { Waiting } from './queues.ts';

/** Why a task waits, in a few words. */
export function shortReason({ reason, ahead = 0 }: Waiting): string {
  if (reason === 'paused') return 'Its agent is paused';
  if (reason === 'scheduled') return 'Scheduled for later';
  if (reason === 'retry_delay') return 'Waits for its next attempt';
  if (reason === 'reserved') return 'Waits for the worker that has its session';
  if (reason === 'no_worker') return 'No worker asks for it';
  if (reason === 'in_line')
    return ahead === 0 ? 'Next in line' : `${plural(ahead, 'task')} of its agent ${ahead === 1 ? 'goes' : 'go'} first`;
  return 'No longer waits';
}
