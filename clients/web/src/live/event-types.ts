import type { Event } from '@agent-fleet/sdk';

/** The compiler holds them against the API: `EventSource` dispatches each type to listeners of its own. */
const TYPES: Record<Event['type'], true> = {
  'agent.created': true,
  'agent.replaced': true,
  'agent.deleted': true,
  'agent.status': true,
  'agent.paused': true,
  'agent.resumed': true,
  'task.created': true,
  'task.replaced': true,
  'task.leased': true,
  'task.progress': true,
  'task.released': true,
  'task.retry': true,
  'task.completed': true,
  'task.failed': true,
  'task.cancel_requested': true,
  'task.cancelled': true,
  'task.deleted': true,
  resync: true,
};

export const EVENT_TYPES = Object.keys(TYPES);
