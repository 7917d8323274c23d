import { may } from '../../../api/session.ts';
import { Badge } from '../../../components/badge.tsx';
import { Menu, MenuItem } from '../../../components/menu.tsx';
import { type Column, RowLink, Table } from '../../../components/table.tsx';
import { currentTime } from '../../../text/clock.ts';
import { plural } from '../../../text/numbers.ts';
import { RelativeTime } from '../../../text/relative-time.tsx';
import { safeLine } from '../../../text/safe-text.ts';
import { absoluteTime } from '../../../text/times.ts';
import { type ApiKey, accessLabel } from './api-key.ts';
import { expiryState } from './expiry.ts';

export type KeyAction = 'rotate' | 'revoke';

interface KeyTableProps {
  rows: readonly ApiKey[] | undefined;
  expectedRows: number;
  isStale: boolean;
  hrefOf: (key: ApiKey) => string;
  onChoose: (action: KeyAction, key: ApiKey) => void;
}

export function KeyTable({ rows, expectedRows, isStale, hrefOf, onChoose }: KeyTableProps) {
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

/** When a key ends: marked if that is soon. */
export function Expiry({ at }: { at: string | null }) {
  const state = expiryState(at, currentTime());
  if (at === null) return <span class="muted">never</span>;
  if (state === 'later') return <RelativeTime at={at} />;
  if (state === 'soon') {
    return (
      <Badge tone="warn">
        <RelativeTime at={at} />
      </Badge>
    );
  }
  return (
    <Badge tone="error">
      <span title={absoluteTime(at)}>expired</span>
    </Badge>
  );
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
