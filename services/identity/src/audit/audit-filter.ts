import type { AuditEvent } from './audit-event.ts';

/** Undefined fields match all events. */
export interface AuditFilter {
  /** The id of the actor, its name in whatever case, or its type. */
  actor?: string;
  /** An action, or the first of its words with `.*`. */
  action?: string;
  /** The id of the target. */
  target?: string;
}

/** Returns a check whether an event matches. */
export function createFilter({ actor, action, target }: AuditFilter): (event: AuditEvent) => boolean {
  const name = actor?.toLowerCase();
  const prefix = action?.endsWith('.*') ? action.slice(0, -1) : undefined;
  return (event) => {
    if (actor !== undefined && !isBy(event, actor, name)) return false;
    if (target !== undefined && event.target?.id !== target) return false;
    if (prefix !== undefined) return event.action.startsWith(prefix);
    return action === undefined || event.action === action;
  };
}

function isBy({ actor }: AuditEvent, text: string, name: string | undefined): boolean {
  return actor.id === text || actor.type === text || actor.name?.toLowerCase() === name;
}
