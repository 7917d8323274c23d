import type { ComponentChildren } from 'preact';
import { Badge } from '../../../components/badge.tsx';
import { LinkButton } from '../../../components/button.tsx';
import { CopyButton } from '../../../components/copy.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { Facts } from '../../../components/facts.tsx';
import { safeLine } from '../../../text/safe-text.ts';
import { absoluteTime } from '../../../text/times.ts';
import { type AuditEvent, actorFilter, targetHref } from './audit-event.ts';

interface AuditEventDialogProps {
  event: AuditEvent;
  onClose: () => void;
}

/** All that the trail has of an event. */
export function AuditEventDialog({ event, onClose }: AuditEventDialogProps) {
  const { at, actor, action, target, outcome, address, request_id } = event;
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
    <span class="access-id">
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
