import { useState } from 'preact/hooks';
import { fleet } from '../../api/fleet.ts';
import { may } from '../../api/session.ts';
import { totalCount } from '../../api/total-count.ts';
import { useQuery } from '../../api/use-query.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Menu, MenuItem } from '../../components/menu.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { Pager } from '../../components/pager.tsx';
import { type Column, RowLink, Table } from '../../components/table.tsx';
import { useAddress } from '../../frame/address.ts';
import { toPageQuery } from '../../requests/access.ts';
import { currentTime } from '../../text/clock.ts';
import { plural } from '../../text/numbers.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import { safeLine } from '../../text/safe-text.ts';
import { type ApiKey, accessLabel, expiryState, type NewApiKey } from './api-key.ts';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { Expiry, type KeyAction, KeyDialog, NewKeyDialog, RevokeKeyDialog, RotateKeyDialog } from './key-dialogs.tsx';
import { type PartProps, useReady } from './part.ts';
import { useRecord } from './use-record.ts';

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

interface KeyTableProps {
  rows: readonly ApiKey[] | undefined;
  expectedRows: number;
  isStale: boolean;
  hrefOf: (key: ApiKey) => string;
  onChoose: (action: KeyAction, key: ApiKey) => void;
}

function KeyTable({ rows, expectedRows, isStale, hrefOf, onChoose }: KeyTableProps) {
  const columns: Column<ApiKey>[] = [
    { key: 'name', title: 'Name', isMain: true, cell: (key) => <NameCell apiKey={key} href={hrefOf(key)} /> },
    {
      key: 'access',
      title: 'Access',
      isWideOnly: true,
      minWidth: '5.5rem',
      cell: ({ scopes }) => accessLabel(scopes),
    },
    {
      key: 'agents',
      title: 'Agents',
      isWideOnly: true,
      minWidth: '6.25rem',
      cell: ({ agent_ids: ids }) => agentsLabel(ids),
    },
    ...(may('users:admin') ? [OWNER] : []),
    { key: 'expires', title: 'Expires', minWidth: '5.5rem', cell: (key) => <Expiry at={key.expires_at} /> },
    {
      key: 'used',
      title: 'Last used',
      minWidth: '7rem',
      isWideOnly: true,
      cell: ({ last_used_at: at }) => (at ? <RelativeTime at={at} /> : <span class="muted">never</span>),
    },
    {
      key: 'menu',
      title: 'Actions',
      minWidth: '3.5rem',
      isTitleHidden: true,
      isNumber: true,
      cell: (key) => <KeyMenu apiKey={key} onChoose={onChoose} />,
    },
  ];
  return (
    <Table
      label="API keys"
      columns={columns}
      rows={rows}
      rowKey={({ id }) => id}
      expectedRows={expectedRows}
      isStale={isStale}
    />
  );
}

const OWNER: Column<ApiKey> = {
  key: 'owner',
  title: 'Owner',
  minWidth: '12rem',
  isWideOnly: true,
  cell: ({ owner, source }) => (
    <span class={`cut access-owner${source === 'environment' ? ' muted' : ''}`}>
      {source === 'environment' ? 'environment' : safeLine(owner ?? '')}
    </span>
  ),
};

/** On narrow screens also what has no column there. */
function NameCell({ apiKey: { name, source, scopes, agent_ids }, href }: { apiKey: ApiKey; href: string }) {
  return (
    <>
      <span class="row access-name">
        <RowLink href={href}>{safeLine(name)}</RowLink>
        {source === 'environment' && <Badge>API_KEYS</Badge>}
      </span>
      <span class="narrow-only small muted cut">
        {accessLabel(scopes)} · {agentsLabel(agent_ids)}
      </span>
    </>
  );
}

function agentsLabel(ids: readonly string[] | null): string {
  return ids === null ? 'All agents' : plural(ids.length, 'agent');
}

function KeyMenu({ apiKey, onChoose }: { apiKey: ApiKey; onChoose: (action: KeyAction, key: ApiKey) => void }) {
  const isFixed = apiKey.source === 'environment';
  const hasExpired = expiryState(apiKey.expires_at, currentTime()) === 'expired';
  return (
    <Menu isIcon label={<span aria-hidden="true">⋯</span>} name={`Actions for ${safeLine(apiKey.name)}`}>
      <MenuItem disabled={isFixed || hasExpired} onSelect={() => onChoose('rotate', apiKey)}>
        Rotate…
      </MenuItem>
      <MenuItem disabled={isFixed} isDangerous onSelect={() => onChoose('revoke', apiKey)}>
        Revoke…
      </MenuItem>
      {isFixed && <p class="access-menu-note">It is set by API_KEYS, and changes with a restart.</p>}
    </Menu>
  );
}
