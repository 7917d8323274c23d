import type { Task } from '@agent-fleet/sdk';
import { useState } from 'preact/hooks';
import { fleet } from '../../api/fleet.ts';
import { FormDialog } from '../../components/dialog.tsx';
import { SelectField } from '../../components/field.tsx';
import { toast } from '../../components/toast.tsx';
import { count } from '../../text/numbers.ts';
import { safeLine } from '../../text/safe-text.ts';
import { type AgentName, useAgentNames, useAgents } from './agent-names.ts';
import { NEW_DRAFT } from './form/task-draft.ts';
import { TaskFields } from './form/task-fields.tsx';
import { useTaskDraft } from './form/use-task-draft.ts';

const MAX_LISTED = 1_000;

interface NewTaskDialogProps {
  /** The agent that is chosen at first. */
  agentId?: string;
  onClose: () => void;
  onCreated?: (task: Task) => void;
}

export function NewTaskDialog({ agentId, onClose, onCreated }: NewTaskDialogProps) {
  const agents = useAgents();
  const [chosen, setChosen] = useState(agentId);
  const { fields, submit } = useTaskDraft(NEW_DRAFT);
  const target = chosen ?? agents.data?.[0]?.id;

  const create = () =>
    submit(async (body) => {
      if (target === undefined) return;
      const { data } = await fleet.post('/agents/{agent_id}/tasks', { params: { path: { agent_id: target } }, body });
      toast('Task created.');
      onCreated?.(data);
    });

  return (
    <FormDialog title="Create task" action="Create task" isDisabled={!target} onSubmit={create} onClose={onClose}>
      <AgentField
        agents={agents.data ?? []}
        chosen={target}
        onChange={setChosen}
        isLoaded={agents.data !== undefined}
      />
      <TaskFields {...fields} />
    </FormDialog>
  );
}

interface AgentFieldProps {
  agents: readonly AgentName[];
  chosen: string | undefined;
  isLoaded: boolean;
  onChange: (id: string) => void;
}

/** The newest agents, and the chosen one if it is older. */
function AgentField({ agents, chosen, isLoaded, onChange }: AgentFieldProps) {
  const isListed = agents.some(({ id }) => id === chosen);
  const names = useAgentNames(chosen === undefined || isListed ? [] : [chosen], isLoaded);
  const older = chosen === undefined || isListed ? undefined : { id: chosen, name: names.get(chosen)?.name ?? chosen };
  const options = [...(older ? [older] : []), ...agents].map(({ id, name }) => ({ value: id, label: safeLine(name) }));
  const isCut = agents.length >= MAX_LISTED;
  return (
    <SelectField
      label="Agent"
      hint={
        isCut ? `The newest ${count(MAX_LISTED)} agents. For an older one, create the task on its page.` : undefined
      }
      error={isLoaded && options.length === 0 ? 'There is no agent. Create one first.' : undefined}
      value={chosen ?? ''}
      options={options.length > 0 ? options : [{ value: '', label: isLoaded ? 'No agents' : 'Loading…' }]}
      onChange={onChange}
    />
  );
}
