import type { Task } from '@agent-fleet/sdk';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { fleet } from '../../../api/fleet.ts';
import { FormDialog } from '../../../components/dialog.tsx';
import { TextArea } from '../../../components/field.tsx';
import { toast } from '../../../components/toast.tsx';
import { parseInput } from '../../tasks/form/parse-input.ts';
import { toDraft } from '../../tasks/form/task-draft.ts';
import { taskHref } from '../../tasks/task-cells.tsx';

interface RetryDialogProps {
  task: Task;
  onClose: () => void;
}

/** Creates a task like one that has ended, with its message and input as they are edited here, and goes to it. */
export function RetryDialog({ task, onClose }: RetryDialogProps) {
  const { route } = useLocation();
  const [before] = useState(() => toDraft(task));
  const [message, setMessage] = useState(before.message);
  const [input, setInput] = useState(before.input);
  const parsed = parseInput(input);
  const inputError = input !== before.input && 'error' in parsed ? parsed.error : undefined;

  async function retry(): Promise<void> {
    if (inputError !== undefined) throw new Error('Correct the input.');
    const body = {
      ...(message !== before.message && { message }),
      ...(input !== before.input && { input: 'value' in parsed ? parsed.value : null }),
    };
    const params = { path: { agent_id: task.agent_id, task_id: task.id } };
    const { data } = await fleet.post('/agents/{agent_id}/tasks/{task_id}/retries', { params, body });
    toast('Task created.');
    route(taskHref(data));
  }

  return (
    <FormDialog title="Retry the task" action="Retry task" onSubmit={retry} onClose={onClose}>
      <p class="muted">Creates a new task like this one, with your changes. It may start at once.</p>
      <TextArea label="Message" rows={4} required autofocus value={message} onInput={setMessage} />
      <TextArea label="Input" hint="JSON." rows={10} isCode value={input} error={inputError} onInput={setInput} />
    </FormDialog>
  );
}
