import type { Agent } from '@agent-fleet/sdk';
import { fleet } from '../api/fleet.ts';
import { replaceUnchanged } from '../api/replace-unchanged.ts';
import { useGet } from '../api/use-get.ts';
import type { ActionProps } from '../components/dialog.tsx';
import { EditDialog } from '../components/edit-dialog.tsx';
import { SelectField, TextField, toOption } from '../components/field.tsx';
import { useFields } from '../components/use-form.ts';
import { safeLine } from '../text/safe-text.ts';

type AgentValues = Pick<Agent, 'name' | 'type'>;

export function EditAgentDialog({ agent, onDone, onClose }: { agent: Agent } & ActionProps) {
  const { values, set, field } = useFields<AgentValues>({ name: agent.name, type: agent.type });
  const { data: stats } = useGet('/stats', {});
  return (
    <EditDialog
      title="Edit agent"
      what="agent"
      record={agent}
      replace={(original) => replaceAgent(original, values)}
      describe={({ name, type }) => `It is now “${safeLine(name)}”, of the type ${safeLine(type)}.`}
      onLoad={({ name, type }) => set({ name, type })}
      onDone={onDone}
      onClose={onClose}
    >
      <AgentFields name={field('name')} type={field('type')} types={stats && Object.keys(stats.agents.by_type)} />
      {values.type !== agent.type && (
        <p class="small muted">
          Its new tasks will have the type {safeLine(values.type)}; those that are there keep theirs.
        </p>
      )}
    </EditDialog>
  );
}

interface FieldProps {
  value: string;
  error?: string;
  onInput: (value: string) => void;
}

interface AgentFieldsProps {
  name: FieldProps;
  type: FieldProps;
  types: readonly string[] | undefined;
}

/** What a client sets of an agent. */
function AgentFields({ name, type, types = [type.value] }: AgentFieldsProps) {
  return (
    <>
      <TextField label="Name" required maxLength={100} autofocus {...name} />
      <SelectField label="Type" options={types.map(toOption)} {...type} />
    </>
  );
}

/**
 * Replaces name and type unless others have changed them since `original` was read. The ETag of an agent changes
 * with its status, too; that is no reason to refuse.
 * @throws FleetError, ChangedByOthersError
 */
function replaceAgent(original: Agent, body: Pick<Agent, 'name' | 'type'>): Promise<void> {
  const path = { agent_id: original.id };
  return replaceUnchanged({
    what: 'agent',
    read: () => fleet.get('/agents/{agent_id}', { params: { path } }),
    isUnchanged: ({ name, type }) => name === original.name && type === original.type,
    replace: (header) => fleet.put('/agents/{agent_id}', { params: { path, header }, body }),
  });
}
