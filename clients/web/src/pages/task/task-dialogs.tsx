import type { Task } from '@agent-fleet/sdk';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { fleet } from '../../api/fleet.ts';
import { type ActionProps, FormDialog, ReasonDialog } from '../../components/dialog.tsx';
import { Checkbox } from '../../components/field.tsx';
import { toast } from '../../components/toast.tsx';
import { taskHref } from '../../tasks/task-cells.tsx';
import { type TaskDraft, toCopy, toDraft, toReplacement } from '../../tasks/task-draft.ts';
import { TaskFields, useTaskDraft } from '../../tasks/task-form.tsx';
import { pathOf } from './task-record.ts';

export function CancelDialog({ record, onDone, onClose }: { record: Task } & ActionProps) {
  async function cancel(reason: string | null): Promise<void> {
    const params = { path: pathOf(record) };
    const { response } = await fleet.put('/agents/{agent_id}/tasks/{task_id}/cancellation', {
      params,
      body: { reason },
    });
    toast(response.status === 202 ? 'The worker was asked to stop.' : 'Task cancelled.');
    onDone();
  }

  return (
    <ReasonDialog
      title="Cancel the task"
      action="Cancel task"
      dismissLabel="Keep it"
      isDangerous
      hint="Optional."
      maxLength={1_024}
      onSubmit={cancel}
      onClose={onClose}
    >
      <p>
        {record.status === 'running'
          ? 'Its worker is asked to stop. If it does not respond, the task is cancelled when its lease ends.'
          : 'It will not start. A cancelled task can be retried.'}
      </p>
    </ReasonDialog>
  );
}

interface RetryDialogProps {
  task: Task;
  onClose: () => void;
}

/** Creates a task like one that has ended, with what is changed here, and goes to it. */
export function RetryDialog({ task, onClose }: RetryDialogProps) {
  const { route } = useLocation();
  const [before] = useState(() => toCopy(task));
  const { fields, submit } = useTaskDraft(before);
  const { values } = fields;
  const [isNewest, setNewest] = useState(false);
  const changed = (Object.keys(before) as (keyof TaskDraft)[]).filter((name) => values[name] !== before[name]);

  // Any other change makes a task of the newest version.
  const isRetry = changed.every((name) => name === 'message' || name === 'input');

  const retry = () =>
    submit(async (body) => {
      const path = pathOf(task);
      const { message, input = null } = body;
      // The fleet copies what is not changed exactly, as numbers beyond those of this language.
      const { data } = isRetry
        ? await fleet.post('/agents/{agent_id}/tasks/{task_id}/retries', {
            params: { path },
            body: {
              message,
              ...(changed.includes('input') && { input }),
              ...(isNewest && { agent_version: 'latest' as const }),
            },
          })
        : await fleet.post('/agents/{agent_id}/tasks', {
            params: { path },
            body: { ...toReplacement(body, task, Date.now()), retry_of: task.id },
          });
      toast('Task created.');
      route(taskHref(data));
    });

  return (
    <FormDialog title="Retry the task" action="Retry task" onSubmit={retry} onClose={onClose}>
      <p class="muted">Creates a new task like this one, with your changes. It may start at once.</p>
      {task.agent_version != null && (
        <Checkbox
          label={`With the newest version of its agent, not ${task.agent_version}`}
          isChecked={isNewest || !isRetry}
          disabled={!isRetry}
          onChange={setNewest}
        />
      )}
      <TaskFields fields={fields} isDetailed />
    </FormDialog>
  );
}

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
        params: { path: pathOf(task), header: { 'If-Match': etag } },
        body: toReplacement(body, task, Date.now()),
      });
      toast('Task changed.');
      onDone();
    });

  return (
    <FormDialog title="Edit the task" action="Save" onSubmit={save} onClose={onClose}>
      <TaskFields fields={fields} isDetailed />
    </FormDialog>
  );
}

interface DeleteDialogProps {
  record: Task;
  onClose: () => void;
}

export function DeleteDialog({ record, onClose }: DeleteDialogProps) {
  const { route } = useLocation();

  async function remove(): Promise<void> {
    const params = { path: pathOf(record) };
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
