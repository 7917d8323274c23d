import { session, signOut } from '../../api/session.ts';
import { useGet } from '../../api/use-get.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chip.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { explain } from '../../components/notice.tsx';
import { actionsColumn, type Column, timeColumn } from '../../components/table.tsx';
import { toast } from '../../components/toast.tsx';
import { type Address, useAddress } from '../../frame/address.ts';
import { ListBar, ListPart } from '../../list/list-part.tsx';
import { useList } from '../../list/use-list.ts';
import { toSessionsQuery } from '../../requests/access.ts';
import { plural } from '../../text/numbers.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import { safeLine } from '../../text/safe-text.ts';
import { EndSessionsDialog, endSession } from './end-sessions.tsx';
import { type PartProps, useReady } from './part.ts';
import { clientName, isThisSession, type Session, sortSessions } from './session.ts';

const COLUMNS: readonly Column<Session>[] = [
  { title: 'Kind', isWideOnly: true, minWidth: '5.5rem', cell: ({ kind }) => kindLabel(kind) },
  { title: 'Address', isWideOnly: true, minWidth: '5.5rem', cell: ({ address }) => safeLine(address) },
  timeColumn('Signed in', ({ created_at }) => created_at),
  timeColumn('Last used', ({ last_used_at }) => last_used_at),
];

export function SessionsPart({ onReady }: PartProps) {
  const address = useAddress();
  const query = toSessionsQuery(address.query);
  const expiresAt = session.value?.expires_at;
  const list = useList('/sessions', query, { everyMs: 30_000 });
  useReady(list, onReady);
  const { dialog, open } = useDialog();
  const isThis = (one: Session) => isThisSession(one, expiresAt);
  const sorted = list.data && { ...list.data, rows: sortSessions(list.data.rows, expiresAt) };
  const rows = list.isStale ? undefined : sorted?.rows;
  const others = rows?.filter((one) => !isThis(one)) ?? [];

  const endOthers = () =>
    open((close) => <EndSessionsDialog ids={others.map(({ id }) => id)} onDone={list.reload} onClose={close} />);

  async function end(one: Session): Promise<void> {
    try {
      if (isThis(one)) return await signOut();
      await endSession(one.id);
      toast(`The session of ${safeLine(clientName(one.user_agent))} has ended.`);
    } catch (error) {
      toast(`Not ended: ${explain(error)}`, 'error');
    }
    list.reload();
  }

  return (
    <div class="stack">
      <ListBar
        text={rows && `${plural(rows.length, 'session')} of yours`}
        start={query.user_id && <UserChip userId={query.user_id} address={address} />}
      >
        {others.length > 0 && (
          <Button onClick={endOthers}>End {others.length === rows?.length ? 'all' : 'all others'}</Button>
        )}
      </ListBar>
      <ListPart
        what="sessions"
        label="Sessions"
        list={{ ...list, data: sorted }}
        columns={[
          {
            title: 'Client',
            isMain: true,
            cell: ({ user_agent: agent }) => (
              <span class="cut" title={safeLine(agent)}>
                {safeLine(clientName(agent))}
              </span>
            ),
            badge: (one) =>
              isThis(one) && (
                <span class="wide-only">
                  <Badge tone="ok">this one</Badge>
                </span>
              ),
            narrow: (one) => (
              <>
                {isThis(one) ? 'This browser' : kindLabel(one.kind)} · {safeLine(one.address)} ·{' '}
                <RelativeTime at={one.last_used_at} />
              </>
            ),
          },
          ...COLUMNS,
          actionsColumn<Session>(
            (one) => (
              <Button isSmall onClick={() => void end(one)}>
                {isThis(one) ? 'Sign out' : 'End'}
                <span class="visually-hidden"> {safeLine(clientName(one.user_agent))}</span>
              </Button>
            ),
            '5.5rem',
          ),
        ]}
        rowKey={({ id }) => id}
        expectedRows={2}
        empty={
          <EmptyState title="No sessions">The user is not signed in anywhere, and has no refresh token.</EmptyState>
        }
      />
      {rows && (
        <p class="small muted">
          A browser’s session ends 12 hours after its last request, a refresh token 7 days after its last use. Access
          tokens without a refresh token are not listed: they expire soon.
        </p>
      )}
      {dialog}
    </div>
  );
}

/** Whose sessions are shown to an admin. */
function UserChip({ userId, address }: { userId: string; address: Address }) {
  const user = useGet('/users/{user_id}', { path: { user_id: userId } });
  const name = safeLine(user.data?.email ?? userId);
  return (
    <Chip name={`filter ${name}`} onRemove={() => address.set({ user_id: undefined })}>
      User: {name}
    </Chip>
  );
}

function kindLabel(kind: Session['kind']): string {
  return kind === 'browser' ? 'Browser' : 'Refresh token';
}
