import type { Agent } from '@agent-fleet/sdk';
import { fleet } from '../../api/fleet.ts';
import { replaceUnchanged } from '../replace-unchanged.ts';

/**
 * Replaces name and type unless others have changed them since `original` was read. The ETag of an agent changes
 * with its status, too; that is no reason to refuse.
 * @throws FleetError, ChangedByOthersError
 */
export function replaceAgent(original: Agent, body: Pick<Agent, 'name' | 'type'>): Promise<void> {
  const path = { agent_id: original.id };
  return replaceUnchanged({
    what: 'agent',
    read: () => fleet.get('/agents/{agent_id}', { params: { path } }),
    isUnchanged: ({ name, type }) => name === original.name && type === original.type,
    replace: (header) => fleet.put('/agents/{agent_id}', { params: { path, header }, body }),
  });
}
