import type { Agent, components } from '@agent-fleet/sdk';
import type { ComponentChildren } from 'preact';
import { fleet } from '../api/fleet.ts';
import { useQuery } from '../api/use-query.ts';
import { type ActionProps, FormDialog, ReasonDialog, useDialog } from '../components/dialog.tsx';
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

interface AgentActions {
  start: (action: AgentAction, agent: Agent) => void;
  /** Belongs to the page, not to a row: that may go while it is open. */
  dialog: ComponentChildren;
}

/** What can be done with agents: some of it after a dialog. */
export function useAgentActions(onChanged: () => void, onDeleted = onChanged): AgentActions {
  const { dialog, open } = useDialog();
  return {
    dialog,
    start(action, agent) {
      if (action === 'resume') void resumeAgent(agent.id, safeLine(agent.name)).then(onChanged);
      else open((onClose) => dialogOf(action, { agent, onDone: action === 'delete' ? onDeleted : onChanged, onClose }));
    },
  };
}

function dialogOf(action: AgentAction, props: AgentDialogProps): ComponentChildren {
  if (action === 'edit') return <EditAgentDialog {...props} />;
  return action === 'pause' ? <PauseAgentDialog {...props} /> : <DeleteAgentDialog {...props} />;
}

export type Pause = components['schemas']['Pause'];

/** Null if the agent is not paused. */
export async function readPause(agent_id: string, signal: AbortSignal): Promise<Pause | null> {
  const params = { path: { agent_id }, query: { optional: true } } as const;
  return (await fleet.get('/agents/{agent_id}/pause', { params, signal })).data;
}

/** Says how it went. */
export async function resumeAgent(agent_id: string, name: string): Promise<void> {
  try {
    await fleet.delete('/agents/{agent_id}/pause', { params: { path: { agent_id } } });
    toast(`${name} resumed.`);
  } catch (error) {
    toast(`Not resumed: ${explain(error)}`, 'error');
  }
}

type AgentDialogProps = { agent: Agent } & ActionProps;

function PauseAgentDialog({ agent, onDone, onClose }: AgentDialogProps) {
  async function pause(reason: string | null): Promise<void> {
    await fleet.put('/agents/{agent_id}/pause', { params: { path: { agent_id: agent.id } }, body: { reason } });
    onDone();
  }
  return (
    <ReasonDialog
      title={`Pause ${safeLine(agent.name)}`}
      action="Pause agent"
      hint="Optional. Other users see it."
      maxLength={500}
      onSubmit={pause}
      onClose={onClose}
    >
      <p>Its tasks do not start until it is resumed. Running tasks continue, and new ones can be created.</p>
    </ReasonDialog>
  );
}

function DeleteAgentDialog({ agent, onDone, onClose }: AgentDialogProps) {
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
    onDone();
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
