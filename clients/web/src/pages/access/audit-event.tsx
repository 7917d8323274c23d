import type { components } from '@agent-fleet/sdk';
import type { ComponentChildren } from 'preact';
import { Badge } from '../../components/badge.tsx';
import { LinkButton } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { type Fact, Facts } from '../../components/facts.tsx';
import { capital } from '../../text/pieces.ts';
import { safeLine } from '../../text/safe-text.ts';
import { absoluteTime } from '../../text/times.ts';

interface AuditEventDialogProps {
  event: AuditEvent;
  onClose: () => void;
}

/** All that the trail has of an event. */
export function AuditEventDialog({ event, onClose }: AuditEventDialogProps) {
  const { at, actor, action, target, outcome, address, request_id, details = {} } = event;
  return (
    <Dialog title={safeLine(action)} onClose={onClose}>
      <div class="stack">
        <Facts
          facts={[
            ['When', absoluteTime(at)],
            ['Outcome', <Badge tone={outcome === 'failure' ? 'error' : 'ok'}>{outcome}</Badge>],
            ['Actor', actor.name === null ? safeLine(actor.type) : `${safeLine(actor.name)} (${safeLine(actor.type)})`],
            ['Actor id', actor.id && <Id id={actor.id} what="the id of the actor" />],
            ['Target', target && <Target target={target} />],
            ['Target id', target && <Id id={target.id} what="the id of the target" />],
            ...Object.entries(details).map(([name, text]): Fact => [capital(safeLine(name)), safeLine(text)]),
            ['Address', address && safeLine(address)],
            ['Request', request_id && <Id id={request_id} what="the id of the request" />],
            ['Event', <Id id={event.id} what="the id of the event" />],
          ]}
        />
        <div class="row dialog-actions">
          {target && (
            <LinkButton href={`/console/access/audit?target=${encodeURIComponent(target.id)}`}>
              Events for this target
            </LinkButton>
          )}
          <LinkButton href={`/console/access/audit?actor=${encodeURIComponent(actorFilter(actor))}`}>
            Events by this actor
          </LinkButton>
        </div>
      </div>
    </Dialog>
  );
}

function Id({ id, what }: { id: string; what: string }) {
  return (
    <span class="row">
      <code>{safeLine(id)}</code>
      <CopyButton text={id} what={what} />
    </span>
  );
}

function Target({ target }: { target: NonNullable<AuditEvent['target']> }): ComponentChildren {
  const href = targetHref(target);
  const type = safeLine(target.type);
  return href ? <a href={href}>Open the {type}</a> : type;
}

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
function targetHref({ type, id }: NonNullable<AuditEvent['target']>): string | undefined {
  const segment = encodeURIComponent(id);
  if (type === 'agent') return `/console/agents/${segment}`;
  if (type === 'task') return `/console/tasks?id=${segment}`;
  if (type === 'user') return `/console/access?user=${segment}`;
  return type === 'key' ? `/console/access/keys?key=${segment}` : undefined;
}

function shortId(id: string): string {
  return id.length > ID_END ? `…${id.slice(-ID_END)}` : id;
}
