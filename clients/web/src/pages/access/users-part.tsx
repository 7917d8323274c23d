import { useState } from 'preact/hooks';
import { fleet } from '../../api/fleet.ts';
import { readSession } from '../../api/session.ts';
import { totalCount } from '../../api/total-count.ts';
import { useQuery } from '../../api/use-query.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Menu, MenuItem } from '../../components/menu.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { Pager } from '../../components/pager.tsx';
import { type Column, RowLink, Table } from '../../components/table.tsx';
import { useAddress } from '../../frame/address.ts';
import { toPageQuery } from '../../requests/access.ts';
import { plural } from '../../text/numbers.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import { safeLine } from '../../text/safe-text.ts';
import { type PartProps, useReady } from './part.ts';
import { useRecord } from './use-record.ts';
import { isOneself, type ResetCode, ROLES, type User } from './user.ts';
import {
  CreateResetCodeDialog,
  CreateUserDialog,
  DeleteUserDialog,
  EditUserDialog,
  ResetCodeDialog,
} from './user-dialogs.tsx';

const RELOAD_MS = 60_000;
const SKELETON_ROWS = 5;

export function UsersPart({ onReady }: PartProps) {
  const address = useAddress();
  const query = toPageQuery(address.query);
  const list = useQuery(
    `users ${query.skip}`,
    async (signal) => {
      const { data, response } = await fleet.get('/users', { params: { query }, signal });
      return { rows: data, total: totalCount(response) };
    },
    { everyMs: RELOAD_MS },
  );
  useReady(list, onReady);
  const [isCreating, setCreating] = useState(false);
  const [chosen, setChosen] = useState<{ action: UserAction; user: User }>();
  const [code, setCode] = useState<ResetCode>();
  const { rows, total } = list.data ?? {};
  const edited = useRecord(address.query.get('user'), rows, readUser);
  const close = () => setChosen(undefined);
  /** Who changes oneself may no longer do the same. */
  const onChanged = (user: User) => {
    if (isOneself(user)) readSession().then(list.reload, list.reload);
    else list.reload();
  };
  const closeEdited = () => address.set({ user: undefined }, true);

  return (
    <div class="stack">
      <div class="row access-bar">
        <p class="muted number" aria-live="polite">
          {total === undefined ? '\u00a0' : plural(total, 'user')}
        </p>
        <span class="end">
          <Button kind="primary" onClick={() => setCreating(true)}>
            Create user
          </Button>
        </span>
      </div>
      {list.error !== undefined && (
        <ErrorNotice title="The users could not be loaded" error={list.error} onRetry={list.reload} />
      )}
      {edited.error !== undefined && (
        <ErrorNotice
          title="This user could not be loaded"
          error={edited.error}
          actions={<Button onClick={closeEdited}>Show all users</Button>}
        />
      )}
      {(rows || list.error === undefined) && (
        <UserTable
          rows={rows}
          expectedRows={SKELETON_ROWS}
          isStale={list.isStale && rows !== undefined}
          hrefOf={({ id }) => address.hrefOf({ user: id })}
          onChoose={(action, user) =>
            action === 'edit' ? address.set({ user: user.id }) : setChosen({ action, user })
          }
        />
      )}
      {total !== undefined && (total > query.limit || query.skip > 0) && (
        <Pager {...query} total={total} hrefOf={(skip) => address.hrefOf({ skip: skip > 0 ? String(skip) : '' })} />
      )}
      {isCreating && <CreateUserDialog onCreated={list.reload} onCode={setCode} onClose={() => setCreating(false)} />}
      {edited.record && <EditUserDialog user={edited.record} onChanged={onChanged} onClose={closeEdited} />}
      {chosen?.action === 'reset' && <CreateResetCodeDialog user={chosen.user} onCode={setCode} onClose={close} />}
      {chosen?.action === 'delete' && <DeleteUserDialog user={chosen.user} onDeleted={onChanged} onClose={close} />}
      {code && <ResetCodeDialog code={code} onClose={() => setCode(undefined)} />}
    </div>
  );
}

async function readUser(user_id: string, signal: AbortSignal): Promise<User> {
  return (await fleet.get('/users/{user_id}', { params: { path: { user_id } }, signal })).data;
}

export type UserAction = 'edit' | 'reset' | 'delete';

interface UserTableProps {
  rows: readonly User[] | undefined;
  expectedRows: number;
  isStale: boolean;
  hrefOf: (user: User) => string;
  onChoose: (action: UserAction, user: User) => void;
}

function UserTable({ rows, expectedRows, isStale, hrefOf, onChoose }: UserTableProps) {
  const columns: Column<User>[] = [
    { key: 'email', title: 'E-mail', isMain: true, cell: (user) => <EmailCell user={user} href={hrefOf(user)} /> },
    { key: 'role', title: 'Role', isWideOnly: true, minWidth: '5.5rem', cell: ({ role }) => labelOf(role) },
    {
      key: 'state',
      title: 'State',
      minWidth: '5.5rem',
      isWideOnly: true,
      cell: ({ disabled }) => (disabled ? <Badge tone="warn">disabled</Badge> : 'Enabled'),
    },
    {
      key: 'sign-in',
      title: 'Last sign-in',
      minWidth: '7rem',
      isWideOnly: true,
      cell: ({ last_sign_in_at: at }) => (at ? <RelativeTime at={at} /> : <span class="muted">never</span>),
    },
    {
      key: 'created',
      title: 'Created',
      minWidth: '7rem',
      isWideOnly: true,
      cell: ({ created_at }) => <RelativeTime at={created_at} />,
    },
    {
      key: 'menu',
      title: 'Actions',
      minWidth: '3.5rem',
      isTitleHidden: true,
      isNumber: true,
      cell: (user) => <UserMenu user={user} onChoose={onChoose} />,
    },
  ];
  return (
    <Table
      label="Users"
      columns={columns}
      rows={rows}
      rowKey={({ id }) => id}
      expectedRows={expectedRows}
      isStale={isStale}
    />
  );
}

/** On narrow screens also what has no column there. */
function EmailCell({ user, href }: { user: User; href: string }) {
  return (
    <>
      <span class="row access-name">
        <RowLink href={href}>{safeLine(user.email)}</RowLink>
        {isOneself(user) && <Badge>you</Badge>}
      </span>
      <span class="narrow-only small muted cut">
        {labelOf(user.role)} · {user.disabled ? 'disabled' : <SignIn at={user.last_sign_in_at} />}
      </span>
    </>
  );
}

function SignIn({ at }: { at: string | null }) {
  if (at === null) return <>never signed in</>;
  return (
    <>
      signed in <RelativeTime at={at} />
    </>
  );
}

function UserMenu({ user, onChoose }: { user: User; onChoose: (action: UserAction, user: User) => void }) {
  return (
    <Menu isIcon label={<span aria-hidden="true">⋯</span>} name={`Actions for ${safeLine(user.email)}`}>
      <MenuItem onSelect={() => onChoose('edit', user)}>Edit…</MenuItem>
      <MenuItem onSelect={() => onChoose('reset', user)}>Create reset code…</MenuItem>
      <a class="menu-item" href={`/console/access/sessions?user_id=${encodeURIComponent(user.id)}`}>
        Sessions
      </a>
      <a class="menu-item" href={`/console/access/audit?actor=${encodeURIComponent(user.id)}`}>
        Audit events
      </a>
      <MenuItem isDangerous onSelect={() => onChoose('delete', user)}>
        Delete…
      </MenuItem>
    </Menu>
  );
}

function labelOf(role: User['role']): string {
  return ROLES.find(({ value }) => value === role)?.label ?? safeLine(role);
}
