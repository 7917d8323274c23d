import { useState } from 'preact/hooks';
import { fleet } from '../../api/fleet.ts';
import { session, signOut } from '../../api/session.ts';
import { useQuery } from '../../api/use-query.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chip.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice, explain } from '../../components/notice.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { toast } from '../../components/toast.tsx';
import { type Address, useAddress } from '../../frame/address.ts';
import { toSessionsQuery } from '../../requests/access.ts';
import { plural } from '../../text/numbers.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import { safeLine } from '../../text/safe-text.ts';
import { EndSessionsDialog, endSession } from './end-sessions.tsx';
import { type PartProps, useReady } from './part.ts';
import { clientName, isThisSession, type Session, sortSessions } from './session.ts';

const RELOAD_MS = 30_000;

export function SessionsPart({ onReady }: PartProps) {
  const address = useAddress();
  const query = toSessionsQuery(address.query);
  const expiresAt = session.value?.expires_at;
  const list = useQuery(
    `sessions ${query.user_id}`,
    async (signal) => (await fleet.get('/sessions', { params: { query }, signal })).data,
    { everyMs: RELOAD_MS },
  );
  useReady(list, onReady);
  const [isEndingAll, setEndingAll] = useState(false);
  const rows = list.isStale ? undefined : list.data && sortSessions(list.data, expiresAt);
  const others = rows?.filter((one) => !isThisSession(one, expiresAt)) ?? [];

  async function end(one: Session): Promise<void> {
    try {
      if (isThisSession(one, expiresAt)) return await signOut();
      await endSession(one.id);
      toast(`The session of ${safeLine(clientName(one.user_agent))} has ended.`);
    } catch (error) {
      toast(`Not ended: ${explain(error)}`, 'error');
    }
    list.reload();
  }

  return (
    <div class="stack">
      <div class="row access-bar">
        {query.user_id ? <UserChip userId={query.user_id} address={address} /> : <Count rows={rows} />}
        {others.length > 0 && (
          <span class="end">
            <Button onClick={() => setEndingAll(true)}>
              End {others.length === rows?.length ? 'all' : 'all others'}
            </Button>
          </span>
        )}
      </div>
      {list.error !== undefined && (
        <ErrorNotice title="The sessions could not be loaded" error={list.error} onRetry={list.reload} />
      )}
      {rows?.length === 0 ? (
        <EmptyState title="No sessions">The user is not signed in anywhere, and has no refresh token.</EmptyState>
      ) : (
        (rows || list.error === undefined) && (
          <SessionTable rows={rows} expiresAt={expiresAt} onEnd={(one) => void end(one)} />
        )
      )}
      {rows && (
        <p class="small muted">
          A browser’s session ends 12 hours after its last request, a refresh token 7 days after its last use. Access
          tokens without a refresh token are not listed: they expire soon.
        </p>
      )}
      {isEndingAll && (
        <EndSessionsDialog ids={others.map(({ id }) => id)} onEnded={list.reload} onClose={() => setEndingAll(false)} />
      )}
    </div>
  );
}

function Count({ rows }: { rows: readonly Session[] | undefined }) {
  return (
    <p class="muted number" aria-live="polite">
      {rows === undefined ? '\u00a0' : `${plural(rows.length, 'session')} of yours`}
    </p>
  );
}

/** Whose sessions are shown to an admin. */
function UserChip({ userId, address }: { userId: string; address: Address }) {
  const user = useQuery(`user ${userId}`, async (signal) => {
    return (await fleet.get('/users/{user_id}', { params: { path: { user_id: userId } }, signal })).data;
  });
  const name = safeLine(user.data?.email ?? userId);
  return (
    <Chip name={`filter ${name}`} onRemove={() => address.set({ user_id: undefined })}>
      User: {name}
    </Chip>
  );
}

interface SessionTableProps {
  rows: readonly Session[] | undefined;
  /** The end of the session of this page. */
  expiresAt: string | null | undefined;
  onEnd: (session: Session) => void;
}

function SessionTable({ rows, expiresAt, onEnd }: SessionTableProps) {
  const columns: Column<Session>[] = [
    {
      key: 'client',
      title: 'Client',
      isMain: true,
      cell: (session) => <ClientCell session={session} isThis={isThisSession(session, expiresAt)} />,
    },
    { key: 'kind', title: 'Kind', isWideOnly: true, minWidth: '5.5rem', cell: ({ kind }) => kindLabel(kind) },
    {
      key: 'address',
      title: 'Address',
      isWideOnly: true,
      minWidth: '5.5rem',
      cell: ({ address }) => safeLine(address),
    },
    {
      key: 'created',
      title: 'Signed in',
      minWidth: '7rem',
      isWideOnly: true,
      cell: ({ created_at }) => <RelativeTime at={created_at} />,
    },
    {
      key: 'used',
      title: 'Last used',
      isWideOnly: true,
      minWidth: '7rem',
      cell: ({ last_used_at }) => <RelativeTime at={last_used_at} />,
    },
    {
      key: 'end',
      title: 'Actions',
      minWidth: '5.5rem',
      isTitleHidden: true,
      isNumber: true,
      cell: (session) => (
        <Button isSmall onClick={() => onEnd(session)}>
          {isThisSession(session, expiresAt) ? 'Sign out' : 'End'}
          <span class="visually-hidden"> {safeLine(clientName(session.user_agent))}</span>
        </Button>
      ),
    },
  ];
  return <Table label="Sessions" columns={columns} rows={rows} rowKey={({ id }) => id} expectedRows={2} />;
}

function ClientCell({ session, isThis }: { session: Session; isThis: boolean }) {
  return (
    <>
      <span class="row access-name">
        <span class="cut" title={safeLine(session.user_agent)}>
          {safeLine(clientName(session.user_agent))}
        </span>
        {isThis && (
          <span class="wide-only">
            <Badge tone="ok">this one</Badge>
          </span>
        )}
      </span>
      <span class="narrow-only small muted cut">
        {isThis ? 'This browser' : kindLabel(session.kind)} · {safeLine(session.address)} ·{' '}
        <RelativeTime at={session.last_used_at} />
      </span>
    </>
  );
}

function kindLabel(kind: Session['kind']): string {
  return kind === 'browser' ? 'Browser' : 'Refresh token';
}
