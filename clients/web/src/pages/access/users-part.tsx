import { fleet } from '../../api/fleet.ts';
import { readSession } from '../../api/session.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { MenuItem, RowMenu } from '../../components/menu.tsx';
import { actionsColumn, type Column, timeColumn } from '../../components/table.tsx';
import { useAddress } from '../../frame/address.ts';
import { ListBar, ListPart, NoRows, RecordError } from '../../list/list-part.tsx';
import { useList, useRecord } from '../../list/use-list.ts';
import { toPageQuery } from '../../requests/access.ts';
import { plural } from '../../text/numbers.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import { safeLine } from '../../text/safe-text.ts';
import { type PartProps, useReady } from './part.ts';
import { isOneself, type ResetCode, ROLES, type User } from './user.ts';
import {
  CreateResetCodeDialog,
  CreateUserDialog,
  DeleteUserDialog,
  EditUserDialog,
  ResetCodeDialog,
} from './user-dialogs.tsx';

type UserAction = 'edit' | 'reset' | 'delete';

const COLUMNS: readonly Column<User>[] = [
  { title: 'Role', isWideOnly: true, minWidth: '5.5rem', cell: ({ role }) => labelOf(role) },
  {
    title: 'State',
    minWidth: '5.5rem',
    isWideOnly: true,
    cell: ({ disabled }) => (disabled ? <Badge tone="warn">disabled</Badge> : 'Enabled'),
  },
  timeColumn('Last sign-in', ({ last_sign_in_at }) => last_sign_in_at),
  timeColumn('Created', ({ created_at }) => created_at),
];

export function UsersPart({ onReady }: PartProps) {
  const address = useAddress();
  const query = toPageQuery(address.query);
  const list = useList('/users', query, { everyMs: 60_000 });
  useReady(list, onReady);
  const { dialog, open } = useDialog();
  const { rows, total } = list.data ?? {};
  const edited = useRecord(address.query.get('user'), rows, readUser);
  /** Who changes oneself may no longer do the same. */
  const onChanged = (user: User) => {
    if (isOneself(user)) readSession().then(list.reload, list.reload);
    else list.reload();
  };
  const closeEdited = () => address.set({ user: undefined }, true);
  const onCode = (code: ResetCode) => open((close) => <ResetCodeDialog code={code} onClose={close} />);
  const create = () => open((close) => <CreateUserDialog onCreated={list.reload} onCode={onCode} onClose={close} />);

  function choose(action: UserAction, user: User): void {
    if (action === 'edit') address.set({ user: user.id });
    else if (action === 'reset') open((close) => <CreateResetCodeDialog user={user} onCode={onCode} onClose={close} />);
    else open((close) => <DeleteUserDialog user={user} onDone={() => onChanged(user)} onClose={close} />);
  }

  return (
    <div class="stack">
      <ListBar text={total === undefined ? undefined : plural(total, 'user')}>
        <Button kind="primary" onClick={create}>
          Create user
        </Button>
      </ListBar>
      <RecordError what="user" error={edited.error} onClose={closeEdited} />
      <ListPart
        what="users"
        label="Users"
        list={list}
        columns={[
          {
            title: 'E-mail',
            isMain: true,
            href: ({ id }) => address.hrefOf({ user: id }),
            cell: ({ email }) => safeLine(email),
            badge: (user) => isOneself(user) && <Badge>you</Badge>,
            narrow: (user) => (
              <>
                {labelOf(user.role)} · {user.disabled ? 'disabled' : <SignIn at={user.last_sign_in_at} />}
              </>
            ),
          },
          ...COLUMNS,
          actionsColumn<User>((user) => <UserMenu user={user} onChoose={choose} />),
        ]}
        rowKey={({ id }) => id}
        expectedRows={5}
        empty={<NoRows what="users" total={total} />}
        pager={{ limit: query.limit }}
      />
      {edited.record && <EditUserDialog user={edited.record} onChanged={onChanged} onClose={closeEdited} />}
      {dialog}
    </div>
  );
}

async function readUser(user_id: string, signal: AbortSignal): Promise<User> {
  return (await fleet.get('/users/{user_id}', { params: { path: { user_id } }, signal })).data;
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
    <RowMenu name={safeLine(user.email)}>
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
    </RowMenu>
  );
}

function labelOf(role: User['role']): string {
  return ROLES.find(({ value }) => value === role)?.label ?? safeLine(role);
}
