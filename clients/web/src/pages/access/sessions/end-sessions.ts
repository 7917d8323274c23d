import { FleetError } from '@agent-fleet/sdk';
import { fleet } from '../../../api/fleet.ts';

/** One that has ended by itself in the meantime is no failure. @throws FleetError */
export async function endSession(session_id: string): Promise<void> {
  try {
    await fleet.delete('/sessions/{session_id}', { params: { path: { session_id } } });
  } catch (error) {
    if (!(error instanceof FleetError && error.status === 404)) throw error;
  }
}

/** One after the other. @throws FleetError */
export async function endSessions(ids: readonly string[]): Promise<void> {
  for (const id of ids) await endSession(id);
}
