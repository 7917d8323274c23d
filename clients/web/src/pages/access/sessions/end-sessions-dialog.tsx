import { FormDialog } from '../../../components/dialog.tsx';
import { toast } from '../../../components/toast.tsx';
import { plural } from '../../../text/numbers.ts';
import { endSessions } from './end-sessions.ts';

interface EndSessionsDialogProps {
  ids: readonly string[];
  onEnded: () => void;
  onClose: () => void;
}

export function EndSessionsDialog({ ids, onEnded, onClose }: EndSessionsDialogProps) {
  async function end(): Promise<void> {
    try {
      await endSessions(ids);
      toast(`${plural(ids.length, 'session')} ended.`);
    } finally {
      onEnded();
    }
  }
  return (
    <FormDialog title="End sessions" action="End sessions" isDangerous onSubmit={end} onClose={onClose}>
      <p>
        {plural(ids.length, 'session')} {ids.length === 1 ? 'ends' : 'end'} at once: browsers have to sign in again, and
        so do programs with a refresh token. API keys keep working.
      </p>
    </FormDialog>
  );
}
