import type { Task } from '@agent-fleet/sdk';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { fleet } from '../../../api/fleet.ts';
import { FormDialog } from '../../../components/dialog.tsx';
import { TextArea } from '../../../components/field.tsx';
import { toast } from '../../../components/toast.tsx';
import { LongText } from '../../../text/long-text.tsx';
import { taskHref } from '../../tasks/task-cells.tsx';
import { hasQuestion, toContinuation } from './continuation.ts';

interface ContinueDialogProps {
  task: Task;
  onClose: () => void;
}

/** Creates a task that continues one that has ended, or answers the question with which it ended, and goes to it. */
export function ContinueDialog({ task, onClose }: ContinueDialogProps) {
  const { route } = useLocation();
  const [message, setMessage] = useState('');
  const isAnswer = hasQuestion(task);

  async function send(): Promise<void> {
    const params = { path: { agent_id: task.agent_id } };
    const { data } = await fleet.post('/agents/{agent_id}/tasks', { params, body: toContinuation(task, message) });
    toast('Task created.');
    route(taskHref(data));
  }

  return (
    <FormDialog
      title={isAnswer ? 'Answer the agent' : 'Continue the task'}
      action={isAnswer ? 'Send answer' : 'Continue task'}
      onSubmit={send}
      onClose={onClose}
    >
      {isAnswer && task.error && (
        <blockquote class="task-question">
          <LongText text={task.error.message} maxCharacters={1_000} />
        </blockquote>
      )}
      <TextArea
        label={isAnswer ? 'Answer' : 'Message'}
        hint="A new task with the same options goes on in the session of this one."
        rows={5}
        required
        autofocus
        value={message}
        onInput={setMessage}
      />
    </FormDialog>
  );
}
