import { useLocation } from 'preact-iso/router';
import { fleet } from '../../../api/fleet.ts';
import { FormDialog } from '../../../components/dialog.tsx';
import { toast } from '../../../components/toast.tsx';
import type { TaskRecord } from '../use-record.ts';

interface DeleteDialogProps {
  record: TaskRecord;
  onClose: () => void;
}

export function DeleteDialog({ record, onClose }: DeleteDialogProps) {
  const { route } = useLocation();

  async function remove(): Promise<void> {
    const params = { path: { agent_id: record.agent_id, task_id: record.id } };
    await fleet.delete('/agents/{agent_id}/tasks/{task_id}', { params });
    toast('Task deleted.');
    route('/console/tasks');
  }

  return (
    <FormDialog
      title="Delete the task"
      action="Delete task"
      dismissLabel="Keep it"
      isDangerous
      onSubmit={remove}
      onClose={onClose}
    >
      <p>
        Its attempts, log and result are deleted with it. This cannot be undone.
        {record.status === 'running' && ' It is running: its worker loses the lease.'}
      </p>
    </FormDialog>
  );
}
