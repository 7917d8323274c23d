import type { Agent } from '@agent-fleet/sdk';
import { useState } from 'preact/hooks';
import { FormDialog } from '../../components/dialog.tsx';
import { Notice } from '../../components/notice.tsx';
import { safeLine } from '../../text/safe-text.ts';
import { ChangedByOthersError } from '../replace-unchanged.ts';
import { AgentFields } from './agent-fields.tsx';
import { replaceAgent } from './replace-agent.ts';

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
