import { FleetError } from '@agent-fleet/sdk';
import { useEffect, useState } from 'preact/hooks';
import { fleet } from '../../api/fleet.ts';
import { useQuery } from '../../api/use-query.ts';
import { Button } from '../../components/button.tsx';
import { explain } from '../../components/notice.tsx';
import { Panel } from '../../components/panel.tsx';
import { SkeletonLines } from '../../components/skeleton.tsx';
import { RelativeTime } from '../../text/relative-time.tsx';
import { ChangeList } from './change-list.tsx';
import { keepSeen, readSeen, type SeenSnapshot } from './seen-snapshot.ts';

/** The API answers with whole snapshots, so there may be more. */
const ABOUT_IDS = 1_000;

/** What has changed since the state that this browser has seen. */
export function ChangesPanel({ snapshotId }: { snapshotId: string }) {
  const [seen, setSeen] = useState(() => readSeen(localStorage));
  const isNew = seen !== undefined && seen.id !== snapshotId;
  const changes = useQuery(isNew ? `${seen.id} ${snapshotId}` : null, async (signal) => {
    const query = { since: seen?.id ?? '', limit: ABOUT_IDS };
    return (await fleet.get('/api/changes', { params: { query }, signal })).data;
  });
  const isGone = changes.error instanceof FleetError && changes.error.status === 410;

  function see(): void {
    const next: SeenSnapshot = { id: changes.data?.to ?? snapshotId, at: new Date().toISOString() };
    keepSeen(localStorage, next);
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
