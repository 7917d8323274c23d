import { Badge } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { type Column, Table } from '../../../components/table.tsx';
import { RelativeTime } from '../../../text/relative-time.tsx';
import { safeLine } from '../../../text/safe-text.ts';
import { clientName } from './client-name.ts';
import { isThisSession, type Session } from './own-session.ts';

interface SessionTableProps {
  rows: readonly Session[] | undefined;
  /** The end of the session of this page. */
  expiresAt: string | null | undefined;
  onEnd: (session: Session) => void;
}

export function SessionTable({ rows, expiresAt, onEnd }: SessionTableProps) {
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
