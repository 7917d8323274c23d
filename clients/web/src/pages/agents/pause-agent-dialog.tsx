import type { Agent } from '@agent-fleet/sdk';
import { useState } from 'preact/hooks';
import { FormDialog } from '../../components/dialog.tsx';
import { TextArea } from '../../components/field.tsx';
import { safeLine } from '../../text/safe-text.ts';
import { pauseAgent } from './pauses.ts';

const MAX_REASON_CHARACTERS = 500;

interface PauseAgentDialogProps {
  agent: Agent;
  onChanged: () => void;
  onClose: () => void;
}

export function PauseAgentDialog({ agent, onChanged, onClose }: PauseAgentDialogProps) {
  const [reason, setReason] = useState('');

  async function pause(): Promise<void> {
    await pauseAgent(agent.id, reason);
    onChanged();
  }

  return (
    <FormDialog title={`Pause ${safeLine(agent.name)}`} action="Pause agent" onSubmit={pause} onClose={onClose}>
      <p>Its tasks do not start until it is resumed. Running tasks continue, and new ones can be created.</p>
      <TextArea
        label="Reason"
        hint="Optional. Other users see it."
        value={reason}
        maxLength={MAX_REASON_CHARACTERS}
        rows={3}
        autofocus
        onInput={setReason}
      />
    </FormDialog>
  );
}
