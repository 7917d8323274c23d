import type { Agent } from '@agent-fleet/sdk';
import { useState } from 'preact/hooks';
import { fleet } from '../../api/fleet.ts';
import { FormDialog } from '../../components/dialog.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { AgentFields } from './agent-fields.tsx';

interface CreateAgentDialogProps {
  /** What the fleet allows; undefined while it is not known. */
  types: readonly string[] | undefined;
  /** Why they are not known, and how to try again. */
  typesQuery?: { error: unknown; reload: () => void };
  onCreated: (agent: Agent) => void;
  onClose: () => void;
}

export function CreateAgentDialog({ types, typesQuery, onCreated, onClose }: CreateAgentDialogProps) {
  const [name, setName] = useState('');
  const [chosen, setType] = useState<string>();
  const type = chosen ?? types?.[0] ?? '';

  async function create(): Promise<void> {
    const { data } = await fleet.post('/agents', { body: { name, type } });
    onCreated(data);
  }

  return (
    <FormDialog title="Create agent" action="Create agent" isDisabled={!type} onSubmit={create} onClose={onClose}>
      {!types && typesQuery?.error !== undefined && (
        <ErrorNotice title="The types could not be loaded" error={typesQuery.error} onRetry={typesQuery.reload} />
      )}
      <AgentFields {...{ name, type, types }} onName={setName} onType={setType} />
      <p class="small muted">
        An agent is a queue of tasks. Workers take tasks by the type of the agent, or of one agent alone.
      </p>
    </FormDialog>
  );
}
