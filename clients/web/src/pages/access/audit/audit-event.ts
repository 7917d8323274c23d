import type { components } from '@agent-fleet/sdk';
import { safeLine } from '../../../text/safe-text.ts';

export type AuditEvent = components['schemas']['AuditEvent'];

/** The last characters of an id tell records apart: it begins with a time. */
const ID_END = 8;

/** What the trail has, in families that can be filtered for. */
export const FAMILIES: readonly { value: string; label: string }[] = [
  { value: 'token.*', label: 'Tokens and sign-ins' },
  { value: 'session.*', label: 'Sessions' },
  { value: 'user.*', label: 'Users' },
  { value: 'key.*', label: 'API keys' },
  { value: 'access.refused', label: 'Missing scopes' },
  { value: 'agent.*', label: 'Agents' },
  { value: 'task.*', label: 'Tasks' },
  { value: 'tasks.created', label: 'Batches of tasks' },
  { value: 'bulk_action.*', label: 'Bulk actions' },
];

export function actorLabel({ type, id, name }: AuditEvent['actor']): string {
  return safeLine(name ?? (id === null ? type : `${type} ${shortId(id)}`));
}

/** What finds all events of the actor. */
export function actorFilter({ type, id }: AuditEvent['actor']): string {
  return id ?? type;
}

export function targetLabel(target: NonNullable<AuditEvent['target']>): string {
  return safeLine(`${target.type} ${shortId(target.id)}`);
}

/** The page of the target, if it has one. It may be gone. */
export function targetHref({ type, id }: NonNullable<AuditEvent['target']>): string | undefined {
  const segment = encodeURIComponent(id);
  if (type === 'agent') return `/console/agents/${segment}`;
  if (type === 'task') return `/console/tasks?id=${segment}`;
  if (type === 'user') return `/console/access?user=${segment}`;
  return type === 'key' ? `/console/access/keys?key=${segment}` : undefined;
}

function shortId(id: string): string {
  return id.length > ID_END ? `…${id.slice(-ID_END)}` : id;
}
