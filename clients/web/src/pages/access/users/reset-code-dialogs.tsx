import { FormDialog } from '../../../components/dialog.tsx';
import { safeLine } from '../../../text/safe-text.ts';
import { absoluteTime } from '../../../text/times.ts';
import { ShownOnceDialog } from '../shown-once-dialog.tsx';
import { createResetCode, type ResetCode } from './reset-code.ts';
import type { User } from './user.ts';

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
      <p class="anywhere">
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
      <p class="anywhere">
        Give it to {safeLine(code.email)}. It works once, until {absoluteTime(code.expiresAt)}.
      </p>
      <p class="anywhere">They open {location.origin}/console and choose “set a password”.</p>
    </ShownOnceDialog>
  );
}
