import { FleetError } from '@agent-fleet/sdk';
import { useState } from 'preact/hooks';
import { fleet } from '../../../api/fleet.ts';
import { Button } from '../../../components/button.tsx';
import { Checkbox, TextField } from '../../../components/field.tsx';
import { explain } from '../../../components/notice.tsx';
import { toast } from '../../../components/toast.tsx';
import { useSubmit } from '../../../components/use-submit.ts';

interface Refusal {
  field: 'current' | 'next';
  reason: string;
}

export function ChangePassword({ email }: { email: string }) {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [isShown, setShown] = useState(false);
  const type = isShown ? 'text' : 'password';
  const { error, isBusy, submit } = useSubmit(async () => {
    await fleet.put('/users/me/password', { body: { current_password: current, new_password: next } });
    toast('Your password is changed. All your other sessions have ended.');
    setCurrent('');
    setNext('');
    setShown(false);
  });
  const refusal = error === undefined ? undefined : toRefusal(error);
  const errorOf = (field: Refusal['field']) => (refusal?.field === field ? refusal.reason : undefined);

  return (
    <form class="stack" onSubmit={submit}>
      {/* For password managers. */}
      <input class="visually-hidden" autocomplete="username" value={email} readOnly tabIndex={-1} aria-hidden="true" />
      <TextField
        label="Current password"
        type={type}
        required
        autocomplete="current-password"
        value={current}
        error={errorOf('current')}
        onInput={setCurrent}
      />
      <TextField
        label="New password"
        type={type}
        hint="15 to 128 characters. A few words that nobody would guess are best."
        required
        autocomplete="new-password"
        value={next}
        error={errorOf('next')}
        onInput={setNext}
      />
      <Checkbox label="Show the passwords" isChecked={isShown} onChange={setShown} />
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
