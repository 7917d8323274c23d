import type { Agent } from '@agent-fleet/sdk';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { explain } from '../../components/notice.tsx';
import { toast } from '../../components/toast.tsx';
import { safeLine } from '../../text/safe-text.ts';
import type { AgentAction } from './agent-menu.tsx';
import { DeleteAgentDialog } from './delete-agent-dialog.tsx';
import { EditAgentDialog } from './edit-agent-dialog.tsx';
import { PauseAgentDialog } from './pause-agent-dialog.tsx';
import { resumeAgent } from './pauses.ts';

interface Options {
  types: readonly string[] | undefined;
  onChanged: () => void;
  /** Default: `onChanged`. */
  onDeleted?: () => void;
}

interface AgentActions {
  start: (action: AgentAction, agent: Agent) => void;
  /** Belongs to the page, not to a row: that may go while it is open. */
  dialog: ComponentChildren;
}

/** What can be done with agents: some of it after a dialog. */
export function useAgentActions({ types, onChanged, onDeleted = onChanged }: Options): AgentActions {
  const [open, setOpen] = useState<{ action: AgentAction; agent: Agent }>();

  async function resume({ id, name }: Agent): Promise<void> {
    try {
      await resumeAgent(id);
      toast(`${safeLine(name)} resumed.`);
    } catch (error) {
      toast(`Not resumed: ${explain(error)}`, 'error');
    }
    onChanged();
  }

  function dialogOf({ action, agent }: { action: AgentAction; agent: Agent }): ComponentChildren {
    const shared = { agent, onClose: () => setOpen(undefined) };
    if (action === 'edit') return <EditAgentDialog {...shared} types={types} onChanged={onChanged} />;
    if (action === 'pause') return <PauseAgentDialog {...shared} onChanged={onChanged} />;
    return <DeleteAgentDialog {...shared} onDeleted={onDeleted} />;
  }

  return {
    start: (action, agent) => (action === 'resume' ? void resume(agent) : setOpen({ action, agent })),
    dialog: open && dialogOf(open),
  };
}
