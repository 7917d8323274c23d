import { FleetError } from '@agent-fleet/sdk';
import { fleet } from '../../api/fleet.ts';
import { type ActionProps, FormDialog } from '../../components/dialog.tsx';
import { toast } from '../../components/toast.tsx';
import { plural } from '../../text/numbers.ts';

export function EndSessionsDialog({ ids, onDone, onClose }: { ids: readonly string[] } & ActionProps) {
  async function end(): Promise<void> {
    try {
      await endSessions(ids);
      toast(`${plural(ids.length, 'session')} ended.`);
    } finally {
      onDone();
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

/** One that has ended by itself in the meantime is no failure. @throws FleetError */
export async function endSession(session_id: string): Promise<void> {
  try {
    await fleet.delete('/sessions/{session_id}', { params: { path: { session_id } } });
  } catch (error) {
    if (!(error instanceof FleetError && error.status === 404)) throw error;
  }
}

/** One after the other. @throws FleetError */
async function endSessions(ids: readonly string[]): Promise<void> {
  for (const id of ids) await endSession(id);
}
