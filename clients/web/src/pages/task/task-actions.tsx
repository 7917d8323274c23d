import type { Task } from '@agent-fleet/sdk';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { fleet } from '../../api/fleet.ts';
import { Button } from '../../components/button.tsx';
import { Menu, MenuItem } from '../../components/menu.tsx';
import { explain } from '../../components/notice.tsx';
import { toast } from '../../components/toast.tsx';
import { taskHref } from '../../tasks/task-cells.tsx';
import { NewTaskDialog } from '../../tasks/task-form.tsx';
import { isEnded } from '../../tasks/task-rows.ts';
import { DeleteDialog, EditDialog, RetryDialog } from './task-dialogs.tsx';
import { pathOf } from './task-record.ts';

type KindWithTask = 'retry' | 'edit' | 'duplicate';
type Opened = { kind: 'delete' } | { kind: KindWithTask; task: Task; etag: string };

interface TaskActionsProps {
  record: Task;
  onDone: () => void;
}

/** What can be done with a task in its state. */
export function TaskActions({ record, onDone }: TaskActionsProps) {
  const { status } = record;
  const [opened, setOpened] = useState<Opened>();
  const { route } = useLocation();
  const close = () => setOpened(undefined);
  const open = (kind: KindWithTask) => {
    readTask(record)
      .then((version) => setOpened({ kind, ...version }))
      .catch((error: unknown) => toast(explain(error), 'error'));
  };
  return (
    <>
      {status === 'pending' && <Button onClick={() => open('edit')}>Edit</Button>}
      {isEnded(status) && status !== 'completed' && <Button onClick={() => open('retry')}>Retry</Button>}
      <Menu label="More" name="More actions">
        {status === 'completed' && <MenuItem onSelect={() => open('retry')}>Retry</MenuItem>}
        <MenuItem onSelect={() => open('duplicate')}>Duplicate</MenuItem>
        <MenuItem isDangerous onSelect={() => setOpened({ kind: 'delete' })}>
          Delete task
        </MenuItem>
      </Menu>
      {opened?.kind === 'delete' && <DeleteDialog record={record} onClose={close} />}
      {opened?.kind === 'retry' && <RetryDialog task={opened.task} onClose={close} />}
      {opened?.kind === 'duplicate' && (
        <NewTaskDialog
          agentId={record.agent_id}
          like={opened.task}
          onClose={close}
          onCreated={(task) => route(taskHref(task))}
        />
      )}
      {opened?.kind === 'edit' && <EditDialog {...opened} onClose={close} onDone={onDone} />}
    </>
  );
}

/** As it is now, with its input. */
async function readTask(record: Task): Promise<{ task: Task; etag: string }> {
  const params = { path: pathOf(record) };
  const { data, response } = await fleet.get('/agents/{agent_id}/tasks/{task_id}', { params });
  return { task: data, etag: response.headers.get('etag') ?? '' };
}
