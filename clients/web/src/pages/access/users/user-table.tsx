import { Badge } from '../../../components/badge.tsx';
import { Menu, MenuItem } from '../../../components/menu.tsx';
import { type Column, RowLink, Table } from '../../../components/table.tsx';
import { RelativeTime } from '../../../text/relative-time.tsx';
import { safeLine } from '../../../text/safe-text.ts';
import { isOneself, ROLES, type User } from './user.ts';

export type UserAction = 'edit' | 'reset' | 'delete';

interface UserTableProps {
  rows: readonly User[] | undefined;
  expectedRows: number;
  isStale: boolean;
  hrefOf: (user: User) => string;
  onChoose: (action: UserAction, user: User) => void;
}

export function UserTable({ rows, expectedRows, isStale, hrefOf, onChoose }: UserTableProps) {
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
