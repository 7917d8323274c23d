import { type components, FleetError } from '@agent-fleet/sdk';
import { useEffect, useState } from 'preact/hooks';
import { keepItem } from '../../api/keep-item.ts';
import { useGet } from '../../api/use-get.ts';
import { Button } from '../../components/button.tsx';
import { explain } from '../../components/notice.tsx';
import { Panel } from '../../components/panel.tsx';
import { SkeletonLines } from '../../components/skeleton.tsx';
import { count } from '../../text/numbers.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import { safeLine } from '../../text/safe-text.ts';

/** The API answers with whole snapshots, so there may be more. */
const ABOUT_IDS = 1_000;

/** The snapshot that this browser saw last, and when it first did. */
interface Seen {
  id: string;
  at: string;
}

const ITEM = 'fleet.registry-seen';

function readSeen(): Seen | undefined {
  try {
    const { id, at } = JSON.parse(localStorage.getItem(ITEM) ?? '');
    return typeof id === 'string' && typeof at === 'string' ? { id, at } : undefined;
  } catch {
    return undefined;
  }
}

/** What has changed since the state that this browser has seen. */
export function ChangesPanel({ snapshotId }: { snapshotId: string }) {
  const [seen, setSeen] = useState(readSeen);
  const isNew = seen !== undefined && seen.id !== snapshotId;
  const changes = useGet('/api/changes', isNew ? { query: { since: seen.id, limit: ABOUT_IDS } } : null);
  const isGone = changes.error instanceof FleetError && changes.error.status === 410;

  function see(): void {
    const next = { id: changes.data?.to ?? snapshotId, at: new Date().toISOString() };
    keepItem(ITEM, JSON.stringify(next));
    setSeen(next);
  }

  // There is nothing to compare with.
  useEffect(() => {
    if (seen === undefined || isGone) see();
  }, [isGone]);

  return (
    <Panel
      title="Changes"
      actions={
        isNew &&
        changes.data && (
          <Button isSmall onClick={see}>
            Mark as seen
          </Button>
        )
      }
    >
      <div class="stack">
        {seen && (
          <p class="muted">
            Compared with what this browser saw <RelativeTime at={seen.at} />
            {isNew ? ':' : ', nothing has changed.'}
          </p>
        )}
        {isNew && changes.data && <ChangeList changes={changes.data} />}
        {isNew && !changes.data && changes.error === undefined && <SkeletonLines lines={3} />}
        {isNew && changes.error !== undefined && <p class="field-error">{explain(changes.error)}</p>}
      </div>
    </Panel>
  );
}

type Changes = components['schemas']['Changes'];

const SHOWN = 12;
const MOST = 1_000;

const KINDS = [
  ['added', 'Added'],
  ['changed', 'Changed'],
  ['removed', 'Removed'],
] as const;

function ChangeList({ changes }: { changes: Changes }) {
  const kinds = KINDS.filter(([kind]) => changes[kind].length > 0);
  return (
    <>
      {kinds.map(([kind, label]) => (
        <Ids key={kind} label={label} ids={changes[kind]} hasPages={kind !== 'removed'} />
      ))}
      {kinds.length === 0 && <p>No skill differs: changes were reverted, or concern other fields.</p>}
      {changes.to !== changes.latest && <p class="small muted">There are more. Mark these as seen to go on.</p>}
    </>
  );
}

function Ids({ label, ids, hasPages }: { label: string; ids: readonly string[]; hasPages: boolean }) {
  const [isWhole, setWhole] = useState(false);
  return (
    <div class="stack-tight">
      <h3>
        {label} <span class="muted number">{count(ids.length)}</span>
      </h3>
      <ul class="registry-ids">
        {ids.slice(0, isWhole ? MOST : SHOWN).map((id) => (
          <li key={id}>{hasPages ? <a href={`/skills/${encodeURIComponent(id)}`}>{safeLine(id)}</a> : safeLine(id)}</li>
        ))}
      </ul>
      {ids.length > SHOWN && (
        <span>
          <Button isSmall aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? 'Show less' : `Show all ${count(ids.length)}`}
          </Button>
        </span>
      )}
    </div>
  );
}
