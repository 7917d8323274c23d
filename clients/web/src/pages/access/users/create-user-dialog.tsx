import { useState } from 'preact/hooks';
import { fleet } from '../../../api/fleet.ts';
import { FormDialog } from '../../../components/dialog.tsx';
import { Checkbox, TextField } from '../../../components/field.tsx';
import { toast } from '../../../components/toast.tsx';
import { safeLine } from '../../../text/safe-text.ts';
import { createResetCode, type ResetCode } from './reset-code.ts';
import { RoleField } from './role-field.tsx';
import type { Role } from './user.ts';
import { inWords } from './user-errors.ts';

interface CreateUserDialogProps {
  onCreated: () => void;
  /** The code by which the user sets a password. */
  onCode: (code: ResetCode) => void;
  onClose: () => void;
}

export function CreateUserDialog({ onCreated, onCode, onClose }: CreateUserDialogProps) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('operator');
  const [hasPassword, setHasPassword] = useState(false);
  const [password, setPassword] = useState('');

  async function create(): Promise<void> {
    const body = { email: email.trim(), role, ...(hasPassword && { password }) };
    const { data: user } = await fleet.post('/users', { body }).catch((error: unknown) => {
      throw inWords(error);
    });
    onCreated();
    if (hasPassword) toast(`${safeLine(user.email)} can sign in.`);
    else await inviteOrSay(user.id, user.email);
  }

  /** The user exists already: that there is no code must not look as if there was no user. */
  async function inviteOrSay(userId: string, address: string): Promise<void> {
    try {
      onCode(await createResetCode(userId, address));
    } catch {
      toast(`${safeLine(address)} was created, but has no reset code yet. Create one in the menu of its row.`, 'error');
    }
  }

  return (
    <FormDialog title="Create user" action="Create user" onSubmit={create} onClose={onClose}>
      <TextField
        label="E-mail"
        type="email"
        required
        maxLength={254}
        autocomplete="off"
        autofocus
        value={email}
        onInput={setEmail}
      />
      <RoleField role={role} onChange={setRole} />
      <Checkbox label="Set a password now" isChecked={hasPassword} onChange={setHasPassword} />
      {hasPassword ? (
        <TextField
          label="Password"
          type="password"
          hint="At least 15 characters. A code is better: only they know the password then."
          required
          autocomplete="new-password"
          value={password}
          onInput={setPassword}
        />
      ) : (
        <p class="small muted">You get a code to pass on. With it, they set a password that nobody else knows.</p>
      )}
    </FormDialog>
  );
}
