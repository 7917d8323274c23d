import type { ComponentChildren } from 'preact';
import { fleet } from '../../../api/fleet.ts';
import { session, signOut } from '../../../api/session.ts';
import { useQuery } from '../../../api/use-query.ts';
import { Button } from '../../../components/button.tsx';
import { Facts } from '../../../components/facts.tsx';
import { ErrorNotice, explain } from '../../../components/notice.tsx';
import { Panel } from '../../../components/panel.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { toast } from '../../../components/toast.tsx';
import { RelativeTime } from '../../../text/relative-time.tsx';
import { safeLine } from '../../../text/safe-text.ts';
import { capital } from '../keys/api-key.ts';
import type { PartProps } from '../parts.ts';
import { useReady } from '../use-ready.ts';
import { meaningOf, type User } from '../users/user.ts';
import { ChangePassword } from './change-password.tsx';
import { SignOutElsewhere } from './sign-out-elsewhere.tsx';

export function AccountPart({ onReady }: PartProps) {
  const own = useQuery('own user', async (signal) => (await fleet.get('/users/me', { signal })).data);
  useReady(own, onReady);
  return (
    <div class="access-account">
      <Panel title="You">
        {own.error !== undefined && (
          <ErrorNotice title="Your account could not be loaded" error={own.error} onRetry={own.reload} />
        )}
        {(own.data || own.error === undefined) && <AccountFacts user={own.data} />}
      </Panel>
      <Panel title="Password">
        <ChangePassword email={session.value?.user ?? ''} />
      </Panel>
      <Panel title="Signed in">
        <SignedIn />
      </Panel>
    </div>
  );
}

function AccountFacts({ user }: { user: User | undefined }) {
  const role = user?.role ?? session.value?.role;
  const show = (toValue: (user: User) => ComponentChildren) =>
    user ? toValue(user) : <Skeleton width="12rem" height="1.5em" />;
  return (
    <Facts
      facts={[
        ['E-mail', safeLine(user?.email ?? session.value?.user ?? '')],
        ['Role', role && `${capital(safeLine(role))}. ${meaningOf(role)}`],
        ['Created', show(({ created_at }) => <RelativeTime at={created_at} />)],
        ['Signed in', show(({ last_sign_in_at: at }) => (at ? <RelativeTime at={at} /> : 'never'))],
        ['Id', show(({ id }) => <code>{safeLine(id)}</code>)],
      ]}
    />
  );
}

function SignedIn() {
  const expiresAt = session.value?.expires_at;
  const leave = () => signOut().catch((error: unknown) => toast(`Not signed out: ${explain(error)}`, 'error'));
  return (
    <div class="stack">
      <p>
        This browser is signed in. The session ends 12 hours after its last request
        {expiresAt ? (
          <>
            , and at the latest <RelativeTime at={expiresAt} />.
          </>
        ) : (
          '.'
        )}
      </p>
      <div class="row">
        <Button onClick={() => void leave()}>Sign out</Button>
        <SignOutElsewhere />
      </div>
    </div>
  );
}
