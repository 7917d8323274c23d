import type { Agent } from '@agent-fleet/sdk';
import { fleet } from '../../api/fleet.ts';
import { useQuery } from '../../api/use-query.ts';
import { FormDialog } from '../../components/dialog.tsx';
import { toast } from '../../components/toast.tsx';
import { plural } from '../../text/numbers.ts';
import { safeLine } from '../../text/safe-text.ts';
import { readTaskCount } from './task-counts.ts';

interface DeleteAgentDialogProps {
  agent: Agent;
  onDeleted: () => void;
  onClose: () => void;
}

export function DeleteAgentDialog({ agent, onDeleted, onClose }: DeleteAgentDialogProps) {
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
