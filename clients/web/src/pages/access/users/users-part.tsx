import { useState } from 'preact/hooks';
import { fleet } from '../../../api/fleet.ts';
import { readSession } from '../../../api/session.ts';
import { totalCount } from '../../../api/total-count.ts';
import { useQuery } from '../../../api/use-query.ts';
import { Button } from '../../../components/button.tsx';
import { ErrorNotice } from '../../../components/notice.tsx';
import { Pager } from '../../../components/pager.tsx';
import { useAddress } from '../../../frame/address.ts';
import { plural } from '../../../text/numbers.ts';
import { toPageQuery } from '../page-query.ts';
import type { PartProps } from '../parts.ts';
import { useReady } from '../use-ready.ts';
import { useRecord } from '../use-record.ts';
import { CreateUserDialog } from './create-user-dialog.tsx';
import { DeleteUserDialog } from './delete-user-dialog.tsx';
import { EditUserDialog } from './edit-user-dialog.tsx';
import type { ResetCode } from './reset-code.ts';
import { CreateResetCodeDialog, ResetCodeDialog } from './reset-code-dialogs.tsx';
import { isOneself, type User } from './user.ts';
import { type UserAction, UserTable } from './user-table.tsx';

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
