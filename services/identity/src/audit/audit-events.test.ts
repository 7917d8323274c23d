import type { AuditActor } from '@agent-fleet/access/audit';
import { expect, test } from '@jest/globals';
import type { AuditEvent } from './audit-event.ts';
import { type AuditFilter, createFilter } from './audit-events.ts';

const GRACE: AuditActor = { type: 'oidc', id: 'corp:77', name: 'Grace@Example.com' };
const NOBODY: AuditActor = { type: 'anonymous', id: null, name: null };

function eventOf(actor: AuditActor, action: string, target: AuditEvent['target']): AuditEvent {
  const id = '01997e71-9c24-7000-8000-000000000000';
  const at = '2026-11-21T09:31:02.116Z';
  return { id, at, actor, action, target, outcome: 'success', address: null, request_id: null };
}

const EVENTS = [
  eventOf(GRACE, 'task.created', { type: 'agent', id: 'a-77' }),
  eventOf(GRACE, 'task.deleted', { type: 'task', id: 't-77' }),
  eventOf(NOBODY, 'agent.deleted', null),
];

test.each<[AuditFilter, string[]]>([
  [{}, ['task.created', 'task.deleted', 'agent.deleted']],
  [{ actor: 'corp:77' }, ['task.created', 'task.deleted']],
  [{ actor: 'grace@example.com' }, ['task.created', 'task.deleted']],
  [{ actor: 'GRACE@EXAMPLE.COM' }, ['task.created', 'task.deleted']],
  [{ actor: 'oidc' }, ['task.created', 'task.deleted']],
  [{ actor: 'anonymous', action: 'agent.deleted' }, ['agent.deleted']],
  [{ actor: 'oidc', action: 'task.created' }, ['task.created']],
  [{ actor: 'corp:77', action: 'task.*' }, ['task.created', 'task.deleted']],
  [{ action: 'task.*', target: 't-77' }, ['task.deleted']],
  [{ target: 'a-77' }, ['task.created']],
  [{ actor: 'grace' }, []],
  [{ actor: 'null' }, []],
  [{ action: 'task' }, []],
  [{ action: '*' }, []],
  [{ action: 'task*' }, []],
  [{ target: '__proto__' }, []],
])('%j finds %j', (filter, actions) => {
  expect(EVENTS.filter(createFilter(filter)).map(({ action }) => action)).toEqual(actions);
});
