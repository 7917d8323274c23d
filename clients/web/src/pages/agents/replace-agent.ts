import { type Agent, FleetError } from '@agent-fleet/sdk';
import { fleet } from '../../api/fleet.ts';

const MAX_TRIES = 5;

/** Name or type are no longer what the change began with. */
export class ChangedByOthersError extends Error {
  readonly current: Agent;

  constructor(current: Agent) {
    super('Not saved: the agent has changed since you opened it.');
    this.current = current;
  }
}

/**
 * Replaces name and type unless others have changed them since `original` was read. The ETag of an agent changes
 * with its status, too; that is no reason to refuse.
 * @throws FleetError, ChangedByOthersError
 */
export async function replaceAgent(original: Agent, body: Pick<Agent, 'name' | 'type'>): Promise<void> {
  const path = { agent_id: original.id };
  for (let tries = 1; ; tries += 1) {
    const { data, response } = await fleet.get('/agents/{agent_id}', { params: { path } });
    if (data.name !== original.name || data.type !== original.type) throw new ChangedByOthersError(data);
    const header = { 'If-Match': response.headers.get('etag') ?? '*' };
    try {
      await fleet.put('/agents/{agent_id}', { params: { path, header }, body });
      return;
    } catch (error) {
      const isStale = error instanceof FleetError && error.status === 412;
      if (!isStale || tries === MAX_TRIES) throw error;
    }
  }
}
