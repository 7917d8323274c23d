import { fleet } from '../../../api/fleet.ts';
import { FormDialog } from '../../../components/dialog.tsx';
import { toast } from '../../../components/toast.tsx';
import { safeLine } from '../../../text/safe-text.ts';
import { isOneself, type User } from './user.ts';
import { inWords } from './user-errors.ts';

interface DeleteUserDialogProps {
  user: User;
  onDeleted: (user: User) => void;
  onClose: () => void;
}

export function DeleteUserDialog({ user, onDeleted, onClose }: DeleteUserDialogProps) {
  const email = safeLine(user.email);

  async function remove(): Promise<void> {
    await fleet.delete('/users/{user_id}', { params: { path: { user_id: user.id } } }).catch((error: unknown) => {
      throw inWords(error);
    });
    toast(`${email} deleted.`);
    onDeleted(user);
  }

  return (
    <FormDialog title="Delete user" action="Delete user" isDangerous onSubmit={remove} onClose={onClose}>
      <p class="anywhere">
        <strong>{email}</strong> is deleted with all sessions and API keys: workers that use these keys stop at once.
      </p>
      {isOneself(user) && <p>This is your own account. You will be signed out.</p>}
      <p class="muted">This cannot be undone. To keep them out for a while, disable the user instead.</p>
    </FormDialog>
  );
}
