import type { components } from '@agent-fleet/sdk';
import { fleet } from '../api/fleet.ts';
import { replaceUnchanged } from '../api/replace-unchanged.ts';
import { useGet } from '../api/use-get.ts';
import type { Query } from '../api/use-query.ts';

export type Definition = components['schemas']['Definition'];
export type DefinitionInput = components['schemas']['DefinitionInput'];

/** The current version; null: the agent has none. */
export function useDefinition(agentId: string | undefined): Query<Definition | null> {
  const params = agentId === undefined ? null : { path: { agent_id: agentId }, query: { optional: true } };
  return useGet('/agents/{agent_id}/definition', params, { reloadOn: (event) => isOfDefinition(event, agentId) });
}

/** A version, which never changes. */
export function useVersion(agentId: string, version: number | undefined): Query<Definition> {
  const path = { agent_id: agentId, version: String(version) };
  return useGet('/agents/{agent_id}/definition/versions/{version}', version === undefined ? null : { path });
}

export function isOfDefinition(event: { type: string; agent_id?: string }, agentId: string | undefined): boolean {
  return event.agent_id === agentId && event.type.startsWith('agent.definition_');
}

/** Makes a version unless others have made one since `original` was read. @throws FleetError, ChangedByOthersError */
export function replaceDefinition(agent_id: string, original: Definition | null, body: DefinitionInput): Promise<void> {
  const path = { agent_id };
  return replaceUnchanged({
    what: 'definition',
    read: () => fleet.get('/agents/{agent_id}/definition', { params: { path, query: { optional: true } } }),
    isUnchanged: (current) => current?.version === original?.version,
    replace: (header) => fleet.put('/agents/{agent_id}/definition', { params: { path, header }, body }),
  });
}
