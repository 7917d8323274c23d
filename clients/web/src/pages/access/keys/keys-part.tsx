import { useState } from 'preact/hooks';
import { fleet } from '../../../api/fleet.ts';
import { may } from '../../../api/session.ts';
import { totalCount } from '../../../api/total-count.ts';
import { useQuery } from '../../../api/use-query.ts';
import { Button } from '../../../components/button.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorNotice } from '../../../components/notice.tsx';
import { Pager } from '../../../components/pager.tsx';
import { useAddress } from '../../../frame/address.ts';
import { plural } from '../../../text/numbers.ts';
import { toPageQuery } from '../page-query.ts';
import type { PartProps } from '../parts.ts';
import { useReady } from '../use-ready.ts';
import { useRecord } from '../use-record.ts';
import type { ApiKey, NewApiKey } from './api-key.ts';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { KeyDialog } from './key-dialog.tsx';
import { type KeyAction, KeyTable } from './key-table.tsx';
import { NewKeyDialog } from './new-key-dialog.tsx';
import { RevokeKeyDialog } from './revoke-key-dialog.tsx';
import { RotateKeyDialog } from './rotate-key-dialog.tsx';

const RELOAD_MS = 60_000;
const SKELETON_ROWS = 5;

export function KeysPart({ onReady }: PartProps) {
  const address = useAddress();
  const query = toPageQuery(address.query);
  const list = useQuery(
    `keys ${query.skip}`,
    async (signal) => {
      const { data, response } = await fleet.get('/api-keys', { params: { query }, signal });
      return { rows: data, total: totalCount(response) };
    },
    { everyMs: RELOAD_MS },
  );
  useReady(list, onReady);
  const { rows, total } = list.data ?? {};
  const [isCreating, setCreating] = useState(false);
  const [chosen, setChosen] = useState<{ action: KeyAction; apiKey: ApiKey }>();
  /** Only here, and only until it is stored. */
  const [made, setMade] = useState<NewApiKey>();
  const shown = useRecord(address.query.get('key'), rows, readKey);
  const close = () => setChosen(undefined);
  const closeShown = () => address.set({ key: undefined }, true);
  const choose = (action: KeyAction, apiKey: ApiKey) => setChosen({ action, apiKey });
  const createButton = (
    <Button kind="primary" onClick={() => setCreating(true)}>
      Create API key
    </Button>
  );

  function onMade(key: NewApiKey): void {
    setMade(key);
    list.reload();
  }

  return (
    <div class="stack">
      <div class="row access-bar">
        <p class="muted number" aria-live="polite">
          {total === undefined ? '\u00a0' : countLabel(total)}
        </p>
        {total !== 0 && <span class="end">{createButton}</span>}
      </div>
      {list.error !== undefined && (
        <ErrorNotice title="The API keys could not be loaded" error={list.error} onRetry={list.reload} />
      )}
      {shown.error !== undefined && (
        <ErrorNotice
          title="This key could not be loaded"
          error={shown.error}
          actions={<Button onClick={closeShown}>Show all keys</Button>}
        />
      )}
      {total === 0 && query.skip === 0 ? (
        <EmptyState title="No API keys yet" actions={createButton}>
          A key lets a program use the fleet: a worker, a script, a build. Give each its own, with no more than it
          needs.
        </EmptyState>
      ) : (
        (rows || list.error === undefined) && (
          <KeyTable
            rows={rows}
            expectedRows={SKELETON_ROWS}
            isStale={list.isStale && rows !== undefined}
            hrefOf={({ id }) => address.hrefOf({ key: id })}
            onChoose={choose}
          />
        )
      )}
      {total !== undefined && (total > query.limit || query.skip > 0) && (
        <Pager {...query} total={total} hrefOf={(skip) => address.hrefOf({ skip: skip > 0 ? String(skip) : '' })} />
      )}
      {isCreating && <CreateKeyDialog onCreated={onMade} onClose={() => setCreating(false)} />}
      {shown.record && <KeyDialog apiKey={shown.record} onChoose={choose} onClose={closeShown} />}
      {chosen?.action === 'rotate' && <RotateKeyDialog apiKey={chosen.apiKey} onRotated={onMade} onClose={close} />}
      {chosen?.action === 'revoke' && (
        <RevokeKeyDialog apiKey={chosen.apiKey} onRevoked={list.reload} onClose={close} />
      )}
      {made && <NewKeyDialog apiKey={made} onClose={() => setMade(undefined)} />}
    </div>
  );
}

function countLabel(total: number): string {
  return may('users:admin') ? `${plural(total, 'key')} of all users` : plural(total, 'key');
}

async function readKey(key_id: string, signal: AbortSignal): Promise<ApiKey> {
  return (await fleet.get('/api-keys/{key_id}', { params: { path: { key_id } }, signal })).data;
}
