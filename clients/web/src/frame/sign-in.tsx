import { FleetError } from '@agent-fleet/sdk';
import { useState } from 'preact/hooks';
import { fleet } from '../api/fleet.ts';
import { hasExpired, signIn } from '../api/session.ts';
import { Button } from '../components/button.tsx';
import { TextField } from '../components/field.tsx';
import { explain, Notice } from '../components/notice.tsx';
import { toast } from '../components/toast.tsx';
import { useFields, useSubmit } from '../components/use-form.ts';
import { Header } from './header.tsx';
import { useTitle } from './page.tsx';
import './console-frame.css';

/** Replaces every page of the console while nobody is signed in; the address stays. */
export function SignIn() {
  const [isResetting, setResetting] = useState(false);
  useTitle(isResetting ? 'Set a password' : 'Sign in');
  return (
    <>
      <Header>
        <a href="/" class="header-link">
          Skills
        </a>
        <a href="/docs" class="header-link">
          API
        </a>
      </Header>
      <main id="main" class="page" tabIndex={-1} data-ready>
        <div class="sign-in">
          {isResetting ? (
            <ResetPassword onDone={() => setResetting(false)} />
          ) : (
            <SignInForm onReset={() => setResetting(true)} />
          )}
        </div>
      </main>
    </>
  );
}

function SignInForm({ onReset }: { onReset: () => void }) {
  const { values, field } = useFields({ email: '', password: '' });
  const { error, isBusy, submit } = useSubmit(() => signIn(values.email, values.password));

  return (
    <>
      <h1>Sign in</h1>
      {hasExpired.value && (
        <Notice tone="info" title="Your session has ended">
          Sign in again to continue where you were.
        </Notice>
      )}
      <form class="stack" onSubmit={submit}>
        <TextField label="E-mail" type="email" autocomplete="username" required {...field('email')} />
        <TextField
          label="Password"
          type="password"
          autocomplete="current-password"
          required
          {...field('password')}
          error={explainRefusal(error)}
        />
        <Button type="submit" kind="primary" isBusy={isBusy}>
          Sign in
        </Button>
      </form>
      <p class="small muted">
        After <code>npm start</code>, both are in <code>.data/credentials.env</code>; <code>npm run demo</code> prints
        them.
      </p>
      <p class="row small muted">
        With a code from an administrator:
        <Button isSmall onClick={onReset}>
          Set a password
        </Button>
      </p>
    </>
  );
}

function explainRefusal(error: unknown): string | undefined {
  if (error === undefined) return undefined;
  const isWrongPair = error instanceof FleetError && error.status === 401;
  return isWrongPair ? 'The e-mail address or the password is wrong.' : explain(error);
}

/** Sets a password with a reset code from an administrator. */
function ResetPassword({ onDone }: { onDone: () => void }) {
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
