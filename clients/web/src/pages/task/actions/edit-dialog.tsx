import type { Task } from '@agent-fleet/sdk';
import { fleet } from '../../../api/fleet.ts';
import { FormDialog } from '../../../components/dialog.tsx';
import { toast } from '../../../components/toast.tsx';
import { toDraft, toReplacement } from '../../tasks/form/task-draft.ts';
import { TaskFields } from '../../tasks/form/task-fields.tsx';
import { useTaskDraft } from '../../tasks/form/use-task-draft.ts';

interface EditDialogProps {
  task: Task;
  /** Of the version that is edited: a change of somebody else meanwhile is not lost. */
  etag: string;
  onClose: () => void;
  onDone: () => void;
}

/** Changes a pending task. */
export function EditDialog({ task, etag, onClose, onDone }: EditDialogProps) {
  const { fields, submit } = useTaskDraft(toDraft(task));

  const save = () =>
    submit(async (body) => {
      await fleet.put('/agents/{agent_id}/tasks/{task_id}', {
        params: { path: { agent_id: task.agent_id, task_id: task.id }, header: { 'If-Match': etag } },
        body: toReplacement(body, task, Date.now()),
      });
      toast('Task changed.');
      onDone();
    });

  return (
    <FormDialog title="Edit the task" action="Save" onSubmit={save} onClose={onClose}>
      <TaskFields {...fields} isDetailed />
    </FormDialog>
  );
}
