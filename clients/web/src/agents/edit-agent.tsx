import type { Agent } from '@agent-fleet/sdk';
import { useState } from 'preact/hooks';
import { fleet } from '../api/fleet.ts';
import { ChangedByOthersError, replaceUnchanged } from '../api/replace-unchanged.ts';
import { FormDialog } from '../components/dialog.tsx';
import { SelectField, TextField } from '../components/field.tsx';
import { ErrorNotice, Notice } from '../components/notice.tsx';
import { safeLine } from '../text/safe-text.ts';

const MAX_NAME_CHARACTERS = 100;

interface AgentFieldsProps {
  name: string;
  type: string;
  types: readonly string[] | undefined;
  onName: (name: string) => void;
  onType: (type: string) => void;
}

/** What a client sets of an agent. */
function AgentFields({ name, type, types = [type], onName, onType }: AgentFieldsProps) {
  return (
    <>
      <TextField label="Name" value={name} required maxLength={MAX_NAME_CHARACTERS} autofocus onInput={onName} />
      <SelectField
        label="Type"
        value={type}
        options={types.map((one) => ({ value: one, label: safeLine(one) }))}
        onChange={onType}
      />
    </>
  );
}

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

interface EditAgentDialogProps {
  agent: Agent;
  types: readonly string[] | undefined;
  onChanged: () => void;
  onClose: () => void;
}

export function EditAgentDialog({ agent, types, onChanged, onClose }: EditAgentDialogProps) {
  const [original, setOriginal] = useState(agent);
  const [name, setName] = useState(agent.name);
  const [type, setType] = useState(agent.type);
  const isSuperseded = original !== agent;

  async function save(): Promise<void> {
    try {
      await replaceAgent(original, { name, type });
    } catch (error) {
      if (error instanceof ChangedByOthersError) setOriginal(error.current as Agent);
      throw error;
    } finally {
      onChanged();
    }
  }

  /** Takes the present values into the form. */
  function load(): void {
    setName(original.name);
    setType(original.type);
  }

  return (
    <FormDialog title="Edit agent" action={isSuperseded ? 'Save over it' : 'Save'} onSubmit={save} onClose={onClose}>
      {isSuperseded && (
        <Notice
          tone="warn"
          title="Somebody else has changed this agent"
          actions={
            <button type="button" class="button button-plain button-small" onClick={load}>
              Load their version
            </button>
          }
        >
          It is now “{safeLine(original.name)}”, of the type {safeLine(original.type)}.
        </Notice>
      )}
      <AgentFields {...{ name, type, types }} onName={setName} onType={setType} />
      {type !== agent.type && (
        <p class="small muted">Its pending tasks will be taken by workers of the type {safeLine(type)}.</p>
      )}
    </FormDialog>
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
