import { fleet } from '../../api/fleet.ts';
import { may } from '../../api/session.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { MenuItem, RowMenu } from '../../components/menu.tsx';
import { actionsColumn, type Column, timeColumn } from '../../components/table.tsx';
import { useAddress } from '../../frame/address.ts';
import { ListBar, ListPart, NoRows, RecordError } from '../../list/list-part.tsx';
import { useList, useRecord } from '../../list/use-list.ts';
import { toPageQuery } from '../../requests/access.ts';
import { currentTime } from '../../text/clock.ts';
import { plural } from '../../text/numbers.ts';
import { safeLine } from '../../text/safe-text.ts';
import { type ApiKey, accessLabel, expiryState, type NewApiKey } from './api-key.ts';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { Expiry, type KeyAction, KeyDialog, NewKeyDialog, RevokeKeyDialog, RotateKeyDialog } from './key-dialogs.tsx';
import { type PartProps, useReady } from './part.ts';

const ACCESS: readonly Column<ApiKey>[] = [
  { title: 'Access', isWideOnly: true, minWidth: '5.5rem', cell: ({ scopes }) => accessLabel(scopes) },
  { title: 'Agents', isWideOnly: true, minWidth: '6.25rem', cell: ({ agent_ids: ids }) => agentsLabel(ids) },
];

const OWNER: Column<ApiKey> = {
  title: 'Owner',
  minWidth: '12rem',
  isWideOnly: true,
  cell: ({ owner, source }) => (
    <span class={`cut access-owner${source === 'environment' ? ' muted' : ''}`}>
      {source === 'environment' ? 'environment' : safeLine(owner ?? '')}
    </span>
  ),
};

const TIMES: readonly Column<ApiKey>[] = [
  { title: 'Expires', minWidth: '5.5rem', cell: (key) => <Expiry at={key.expires_at} /> },
  timeColumn('Last used', ({ last_used_at }) => last_used_at),
];

export function KeysPart({ onReady }: PartProps) {
  const address = useAddress();
  const query = toPageQuery(address.query);
  const list = useList('/api-keys', query, { everyMs: 60_000 });
  useReady(list, onReady);
  const { rows, total } = list.data ?? {};
  const { dialog, open } = useDialog();
  const shown = useRecord(address.query.get('key'), rows, readKey);
  const closeShown = () => address.set({ key: undefined }, true);
  const createButton = (
    <Button kind="primary" onClick={() => open((close) => <CreateKeyDialog onCreated={onMade} onClose={close} />)}>
      Create API key
    </Button>
  );

  /** Its text is only here, and only until it is stored. */
  function onMade(key: NewApiKey): void {
    open((close) => <NewKeyDialog apiKey={key} onClose={close} />);
    list.reload();
  }

  function choose(action: KeyAction, apiKey: ApiKey): void {
    open((onClose) =>
      action === 'rotate' ? (
        <RotateKeyDialog apiKey={apiKey} onRotated={onMade} onClose={onClose} />
      ) : (
        <RevokeKeyDialog apiKey={apiKey} onDone={list.reload} onClose={onClose} />
      ),
    );
  }

  return (
    <div class="stack">
      <ListBar text={total === undefined ? undefined : countLabel(total)}>{total !== 0 && createButton}</ListBar>
      <RecordError what="key" error={shown.error} onClose={closeShown} />
      <ListPart
        what="API keys"
        label="API keys"
        list={list}
        columns={[
          {
            title: 'Name',
            isMain: true,
            href: ({ id }) => address.hrefOf({ key: id }),
            cell: ({ name }) => safeLine(name),
            badge: ({ source }) => source === 'environment' && <Badge>API_KEYS</Badge>,
            narrow: ({ scopes, agent_ids: ids }) => `${accessLabel(scopes)} · ${agentsLabel(ids)}`,
          },
          ...ACCESS,
          ...(may('users:admin') ? [OWNER] : []),
          ...TIMES,
          actionsColumn<ApiKey>((key) => <KeyMenu apiKey={key} onChoose={choose} />),
        ]}
        rowKey={({ id }) => id}
        expectedRows={5}
        empty={
          total ? (
            <NoRows what="API keys" total={total} />
          ) : (
            <EmptyState title="No API keys yet" actions={createButton}>
              A key lets a program use the fleet: a worker, a script, a build. Give each its own, with no more than it
              needs.
            </EmptyState>
          )
        }
        pager={{ limit: query.limit }}
      />
      {shown.record && <KeyDialog apiKey={shown.record} onChoose={choose} onClose={closeShown} />}
      {dialog}
    </div>
  );
}

function countLabel(total: number): string {
  return may('users:admin') ? `${plural(total, 'key')} of all users` : plural(total, 'key');
}

async function readKey(key_id: string, signal: AbortSignal): Promise<ApiKey> {
  return (await fleet.get('/api-keys/{key_id}', { params: { path: { key_id } }, signal })).data;
}

function agentsLabel(ids: readonly string[] | null): string {
  return ids === null ? 'All agents' : plural(ids.length, 'agent');
}

function KeyMenu({ apiKey, onChoose }: { apiKey: ApiKey; onChoose: (action: KeyAction, key: ApiKey) => void }) {
  const isFixed = apiKey.source === 'environment';
  const hasExpired = expiryState(apiKey.expires_at, currentTime()) === 'expired';
  return (
    <RowMenu name={safeLine(apiKey.name)}>
      <MenuItem disabled={isFixed || hasExpired} onSelect={() => onChoose('rotate', apiKey)}>
        Rotate…
      </MenuItem>
      <MenuItem disabled={isFixed} isDangerous onSelect={() => onChoose('revoke', apiKey)}>
        Revoke…
      </MenuItem>
      {isFixed && <p class="access-menu-note">It is set by API_KEYS, and changes with a restart.</p>}
    </RowMenu>
  );
}
