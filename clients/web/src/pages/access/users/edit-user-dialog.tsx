import { useState } from 'preact/hooks';
import { Button } from '../../../components/button.tsx';
import { FormDialog } from '../../../components/dialog.tsx';
import { Checkbox } from '../../../components/field.tsx';
import { Notice } from '../../../components/notice.tsx';
import { RelativeTime } from '../../../text/relative-time.tsx';
import { safeLine } from '../../../text/safe-text.ts';
import { ChangedByOthersError } from '../../replace-unchanged.ts';
import { replaceUser } from './replace-user.ts';
import { RoleField } from './role-field.tsx';
import { isOneself, type User } from './user.ts';

interface EditUserDialogProps {
  user: User;
  onChanged: (user: User) => void;
  onClose: () => void;
}

export function EditUserDialog({ user, onChanged, onClose }: EditUserDialogProps) {
  const [original, setOriginal] = useState(user);
  const [role, setRole] = useState(user.role);
  const [disabled, setDisabled] = useState(user.disabled);
  const isSuperseded = original !== user;

  async function save(): Promise<void> {
    try {
      await replaceUser(original, { role, disabled });
    } catch (error) {
      if (error instanceof ChangedByOthersError) setOriginal(error.current as User);
      throw error;
    } finally {
      onChanged(user);
    }
  }

  /** Takes the present values into the form. */
  function load(): void {
    setRole(original.role);
    setDisabled(original.disabled);
  }

  return (
    <FormDialog
      title={safeLine(user.email)}
      action={isSuperseded ? 'Save over it' : 'Save'}
      isDangerous={disabled && !original.disabled}
      onSubmit={save}
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
      {isSuperseded && (
        <Notice
          tone="warn"
          title="Somebody else has changed this user"
          actions={
            <Button isSmall onClick={load}>
              Load their version
            </Button>
          }
        >
          The role is now {original.role}, and the user is {original.disabled ? 'disabled' : 'enabled'}.
        </Notice>
      )}
      <RoleField role={role} onChange={setRole} />
      <Checkbox label="Disabled" isChecked={disabled} onChange={setDisabled} />
      <p class="small muted">{consequence(user, { role, disabled })}</p>
    </FormDialog>
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
