import { fleet } from '../api/fleet.ts';
import { Button } from '../components/button.tsx';
import { TextField } from '../components/field.tsx';
import { explain } from '../components/notice.tsx';
import { toast } from '../components/toast.tsx';
import { useFields, useSubmit } from '../components/use-form.ts';

/** Sets a password with a reset code from an administrator. */
export function ResetPassword({ onDone }: { onDone: () => void }) {
  const { values, field } = useFields({ code: '', password: '' });
  const { error, isBusy, submit } = useSubmit(async () => {
    const params = { path: { code: values.code.trim() } };
    await fleet.put('/password-resets/{code}', { params, body: { new_password: values.password } });
    toast('Password set. Sign in with it.');
    onDone();
  });

  return (
    <>
      <h1>Set a password</h1>
      <form class="stack" onSubmit={submit}>
        <TextField label="Code" hint="It works once, within an hour." required autocomplete="off" {...field('code')} />
        <TextField
          label="New password"
          type="password"
          hint="At least 15 characters."
          required
          autocomplete="new-password"
          {...field('password')}
          error={error === undefined ? undefined : explain(error)}
        />
        <div class="row">
          <Button type="submit" kind="primary" isBusy={isBusy}>
            Set the password
          </Button>
          <Button onClick={onDone}>Back</Button>
        </div>
      </form>
    </>
  );
}
