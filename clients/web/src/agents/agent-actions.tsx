import type { Agent, components } from '@agent-fleet/sdk';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { fleet } from '../api/fleet.ts';
import { useQuery } from '../api/use-query.ts';
import { FormDialog } from '../components/dialog.tsx';
import { TextArea } from '../components/field.tsx';
import { MenuItem, RowMenu } from '../components/menu.tsx';
import { explain } from '../components/notice.tsx';
import { toast } from '../components/toast.tsx';
import { totalCount } from '../list/list-page.ts';
import { plural } from '../text/numbers.ts';
import { safeLine } from '../text/safe-text.ts';
import { EditAgentDialog } from './edit-agent.tsx';

export type AgentAction = 'edit' | 'pause' | 'resume' | 'delete';

interface AgentMenuProps {
  agent: Agent;
  isPaused: boolean;
  onChoose: (action: AgentAction) => void;
}

/** What can be done with the agent of a row. */
export function AgentMenu({ agent, isPaused, onChoose }: AgentMenuProps) {
  return (
    <RowMenu name={safeLine(agent.name)}>
      <MenuItem onSelect={() => onChoose('edit')}>Edit…</MenuItem>
      {isPaused ? (
        <MenuItem onSelect={() => onChoose('resume')}>Resume</MenuItem>
      ) : (
        <MenuItem onSelect={() => onChoose('pause')}>Pause…</MenuItem>
      )}
      <MenuItem isDangerous onSelect={() => onChoose('delete')}>
        Delete…
      </MenuItem>
    </RowMenu>
  );
}

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

export type Pause = components['schemas']['Pause'];

/** Null if the agent is not paused. */
export async function readPause(agent_id: string, signal: AbortSignal): Promise<Pause | null> {
  const params = { path: { agent_id }, query: { optional: true } } as const;
  return (await fleet.get('/agents/{agent_id}/pause', { params, signal })).data;
}

async function pauseAgent(agentId: string, reason: string): Promise<void> {
  const params = { path: { agent_id: agentId } };
  await fleet.put('/agents/{agent_id}/pause', { params, body: { reason: reason.trim() || null } });
}

async function resumeAgent(agentId: string): Promise<void> {
  await fleet.delete('/agents/{agent_id}/pause', { params: { path: { agent_id: agentId } } });
}

const MAX_REASON_CHARACTERS = 500;

interface PauseAgentDialogProps {
  agent: Agent;
  onChanged: () => void;
  onClose: () => void;
}

function PauseAgentDialog({ agent, onChanged, onClose }: PauseAgentDialogProps) {
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

interface DeleteAgentDialogProps {
  agent: Agent;
  onDeleted: () => void;
  onClose: () => void;
}

function DeleteAgentDialog({ agent, onDeleted, onClose }: DeleteAgentDialogProps) {
  const name = safeLine(agent.name);
  const counts = useQuery(`tasks of ${agent.id}`, async (signal) => {
    const [all, running] = await Promise.all([
      readTaskCount(agent.id, undefined, signal),
      readTaskCount(agent.id, 'running', signal),
    ]);
    return { all, running };
  });

  async function remove(): Promise<void> {
    await fleet.delete('/agents/{agent_id}', { params: { path: { agent_id: agent.id } } });
    toast(`${name} deleted.`);
    onDeleted();
  }

  return (
    <FormDialog title={`Delete ${name}`} action="Delete agent" isDangerous onSubmit={remove} onClose={onClose}>
      <p class="delete-count" aria-live="polite">
        {counts.data ? consequence(counts.data) : counts.error ? 'Its tasks are deleted, too.' : 'Counting its tasks…'}
      </p>
      <p>This cannot be undone. To stop it for a while, pause it instead.</p>
    </FormDialog>
  );
}

function consequence({ all, running }: { all: number; running: number }): string {
  if (all === 0) return 'It has no tasks.';
  const stopped =
    running > 0 ? `, of which ${running === 1 ? '1 is' : `${running} are`} running and will be stopped` : '';
  return `${plural(all, 'task')} ${all === 1 ? 'is' : 'are'} deleted with it${stopped}.`;
}

/** How many tasks an agent has, of one status or of all. */
export async function readTaskCount(
  agent_id: string,
  status: string | undefined,
  signal: AbortSignal,
): Promise<number> {
  const query = { ...(status && { status }), fields: 'id', limit: 1 };
  const { response } = await fleet.get('/agents/{agent_id}/tasks', { params: { path: { agent_id }, query }, signal });
  return totalCount(response);
}
