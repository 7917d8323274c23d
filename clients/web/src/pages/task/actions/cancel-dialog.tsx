import { useState } from 'preact/hooks';
import { fleet } from '../../../api/fleet.ts';
import { FormDialog } from '../../../components/dialog.tsx';
import { TextArea } from '../../../components/field.tsx';
import { toast } from '../../../components/toast.tsx';
import type { TaskRecord } from '../use-record.ts';

const MAX_REASON = 1_024;

interface CancelDialogProps {
  record: TaskRecord;
  onClose: () => void;
  onDone: () => void;
}

export function CancelDialog({ record, onClose, onDone }: CancelDialogProps) {
  const [reason, setReason] = useState('');

  async function cancel(): Promise<void> {
    const params = { path: { agent_id: record.agent_id, task_id: record.id } };
    const body = { reason: reason.trim() || null };
    const { response } = await fleet.put('/agents/{agent_id}/tasks/{task_id}/cancellation', { params, body });
    toast(response.status === 202 ? 'The worker was asked to stop.' : 'Task cancelled.');
    onDone();
  }

  return (
    <FormDialog
      title="Cancel the task"
      action="Cancel task"
      dismissLabel="Keep it"
      isDangerous
      onSubmit={cancel}
      onClose={onClose}
    >
      <p>
        {record.status === 'running'
          ? 'Its worker is asked to stop. If it does not respond, the task is cancelled when its lease ends.'
          : 'It will not start. A cancelled task can be retried.'}
      </p>
      <TextArea
        label="Reason"
        hint="Optional."
        rows={2}
        maxLength={MAX_REASON}
        autofocus
        value={reason}
        onInput={setReason}
      />
    </FormDialog>
  );
}
