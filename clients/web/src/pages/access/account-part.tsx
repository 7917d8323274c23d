import { FleetError } from '@agent-fleet/sdk';
import type { ComponentChildren } from 'preact';
import { fleet } from '../../api/fleet.ts';
import { session } from '../../api/session.ts';
import { useGet } from '../../api/use-get.ts';
import { Button } from '../../components/button.tsx';
import { Facts } from '../../components/facts.tsx';
import { Checkbox, TextField } from '../../components/field.tsx';
import { ErrorNotice, explain } from '../../components/notice.tsx';
import { Panel } from '../../components/panel.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { toast } from '../../components/toast.tsx';
import { useFields, useSubmit } from '../../components/use-form.ts';
import { capital } from '../../text/pieces.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import { safeLine } from '../../text/safe-text.ts';
import { type PartProps, useReady } from './part.ts';
import { meaningOf, type User } from './user.ts';

export function AccountPart({ onReady }: PartProps) {
  const own = useGet('/users/me', {});
  useReady(own, onReady);
  return (
    <div class="stack access-account">
      <Panel title="You">
        {own.error !== undefined && (
          <ErrorNotice title="Your account could not be loaded" error={own.error} onRetry={own.reload} />
        )}
        {(own.data || own.error === undefined) && <AccountFacts user={own.data} />}
      </Panel>
      <Panel title="Password">
        <ChangePassword email={session.value?.user ?? ''} />
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
        ['Signed in', show(({ last_sign_in_at }) => <RelativeTime at={last_sign_in_at} />)],
        ['Id', show(({ id }) => <code>{safeLine(id)}</code>)],
      ]}
    />
  );
}

const NO_PASSWORDS = { current: '', next: '', isShown: false };

interface Refusal {
  field: 'current' | 'next';
  reason: string;
}

function ChangePassword({ email }: { email: string }) {
  const { values, set, field } = useFields(NO_PASSWORDS);
  const { current, next, isShown } = values;
  const type = isShown ? 'text' : 'password';
  const { error, isBusy, submit } = useSubmit(async () => {
    await fleet.put('/users/me/password', { body: { current_password: current, new_password: next } });
    toast('Your password is changed. All your other sessions have ended.');
    set(NO_PASSWORDS);
  });
  const refusal = error === undefined ? undefined : toRefusal(error);
  const errorOf = (name: Refusal['field']) => (refusal?.field === name ? refusal.reason : undefined);

  return (
    <form class="stack" onSubmit={submit}>
      {/* For password managers. */}
      <input class="visually-hidden" autocomplete="username" value={email} readOnly tabIndex={-1} aria-hidden="true" />
      <TextField
        label="Current password"
        type={type}
        required
        autocomplete="current-password"
        {...field('current')}
        error={errorOf('current')}
      />
      <TextField
        label="New password"
        type={type}
        hint="15 to 128 characters. A few words that nobody would guess are best."
        required
        autocomplete="new-password"
        {...field('next')}
        error={errorOf('next')}
      />
      <Checkbox label="Show the passwords" isChecked={isShown} onChange={(value) => set({ isShown: value })} />
      <div class="row">
        <Button type="submit" kind="primary" isBusy={isBusy}>
          Change password
        </Button>
        <span class="small muted">Ends all your other sessions and tokens. API keys stay.</span>
      </div>
    </form>
  );
}

function toRefusal(error: unknown): Refusal {
  const isWrong = error instanceof FleetError && error.status === 403;
  if (isWrong) return { field: 'current', reason: 'This is not your current password.' };
  if (!(error instanceof FleetError)) return { field: 'next', reason: explain(error) };
  const refused = error.fields.find(({ path }) => path === 'new_password');
  return { field: 'next', reason: refused ? `The new password ${refused.message}.` : explain(error) };
}
