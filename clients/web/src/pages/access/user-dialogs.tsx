import { fleet } from '../../api/fleet.ts';
import { FLEET_URL } from '../../api/prefix.ts';
import { type ActionProps, FormDialog } from '../../components/dialog.tsx';
import { EditDialog } from '../../components/edit-dialog.tsx';
import { Checkbox, SelectField, TextField } from '../../components/field.tsx';
import { toast } from '../../components/toast.tsx';
import { useFields } from '../../components/use-form.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import { safeLine } from '../../text/safe-text.ts';
import { absoluteTime } from '../../text/times.ts';
import { ShownOnceDialog } from './shown-once-dialog.tsx';
import {
  createResetCode,
  inWords,
  isOneself,
  meaningOf,
  type ResetCode,
  ROLES,
  type Role,
  replaceUser,
  type User,
} from './user.ts';

interface CreateUserDialogProps {
  onCreated: () => void;
  /** The code by which the user sets a password. */
  onCode: (code: ResetCode) => void;
  onClose: () => void;
}

export function CreateUserDialog({ onCreated, onCode, onClose }: CreateUserDialogProps) {
  const { values, set, field } = useFields({ email: '', role: 'operator' as Role, hasPassword: false, password: '' });
  const { email, role, hasPassword, password } = values;

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
        {...field('email')}
      />
      <RoleField role={role} onChange={field('role').onInput} />
      <Checkbox
        label="Set a password now"
        isChecked={hasPassword}
        onChange={(isChecked) => set({ hasPassword: isChecked })}
      />
      {hasPassword ? (
        <TextField
          label="Password"
          type="password"
          hint="At least 15 characters. A code is better: only they know the password then."
          required
          autocomplete="new-password"
          {...field('password')}
        />
      ) : (
        <p class="small muted">You get a code to pass on. With it, they set a password that nobody else knows.</p>
      )}
    </FormDialog>
  );
}

interface EditUserDialogProps {
  user: User;
  onChanged: (user: User) => void;
  onClose: () => void;
}

export function EditUserDialog({ user, onChanged, onClose }: EditUserDialogProps) {
  const { values, set } = useFields({ role: user.role, disabled: user.disabled });
  return (
    <EditDialog
      title={safeLine(user.email)}
      what="user"
      record={user}
      isDangerous={values.disabled && !user.disabled}
      replace={(original) => replaceUser(original, values)}
      describe={({ role, disabled }) =>
        `The role is now ${role}, and the user is ${disabled ? 'disabled' : 'enabled'}.`
      }
      onLoad={({ role, disabled }) => set({ role, disabled })}
      onDone={() => onChanged(user)}
      onClose={onClose}
    >
      <p class="small muted">
        Created <RelativeTime at={user.created_at} />,{' '}
        {user.last_sign_in_at ? (
          <>
            signed in <RelativeTime at={user.last_sign_in_at} />
          </>
        ) : (
          'has never signed in'
        )}
        .
      </p>
      <RoleField role={values.role} onChange={(role) => set({ role })} />
      <Checkbox label="Disabled" isChecked={values.disabled} onChange={(disabled) => set({ disabled })} />
      <p class="small muted">{consequence(user, values)}</p>
    </EditDialog>
  );
}

function consequence(user: User, { role, disabled }: Pick<User, 'role' | 'disabled'>): string {
  if (disabled && !user.disabled) {
    return 'Disabling ends all sessions and tokens of the user. API keys do not work until the user is enabled again.';
  }
  if (role !== user.role) {
    const keys = 'Sessions continue with the new role, and API keys have at most its scopes.';
    return isOneself(user) ? `This is your own account. ${keys}` : keys;
  }
  return 'A disabled user cannot sign in, and their API keys do not work.';
}

export function DeleteUserDialog({ user, onDone, onClose }: { user: User } & ActionProps) {
  const email = safeLine(user.email);

  async function remove(): Promise<void> {
    await fleet.delete('/users/{user_id}', { params: { path: { user_id: user.id } } }).catch((error: unknown) => {
      throw inWords(error);
    });
    toast(`${email} deleted.`);
    onDone();
  }

  return (
    <FormDialog title="Delete user" action="Delete user" isDangerous onSubmit={remove} onClose={onClose}>
      <p>
        <strong>{email}</strong> is deleted with all sessions and API keys: workers that use these keys stop at once.
      </p>
      {isOneself(user) && <p>This is your own account. You will be signed out.</p>}
      <p class="muted">This cannot be undone. To keep them out for a while, disable the user instead.</p>
    </FormDialog>
  );
}

interface CreateResetCodeDialogProps {
  user: User;
  onCode: (code: ResetCode) => void;
  onClose: () => void;
}

export function CreateResetCodeDialog({ user, onCode, onClose }: CreateResetCodeDialogProps) {
  return (
    <FormDialog
      title="Create reset code"
      action="Create code"
      onSubmit={async () => onCode(await createResetCode(user.id, user.email))}
      onClose={onClose}
    >
      <p>
        With the code, {safeLine(user.email)} sets a new password. Until then the current one keeps working; then all
        their sessions end.
      </p>
      <p class="small muted">It works once, within an hour. An earlier code stops working now.</p>
    </FormDialog>
  );
}

export function ResetCodeDialog({ code, onClose }: { code: ResetCode; onClose: () => void }) {
  return (
    <ShownOnceDialog title="Reset code" secret={code.code} what="code" onClose={onClose}>
      <p>
        Give it to {safeLine(code.email)}. It works once, until {absoluteTime(code.expiresAt)}.
      </p>
      <p>They open {FLEET_URL}/console and choose “set a password”.</p>
    </ShownOnceDialog>
  );
}

function RoleField({ role, onChange }: { role: Role; onChange: (role: Role) => void }) {
  return (
    <SelectField
      label="Role"
      hint={meaningOf(role)}
      value={role}
      options={ROLES}
      onInput={(value) => onChange(value as Role)}
    />
  );
}
