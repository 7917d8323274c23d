import type { Task } from '@agent-fleet/sdk';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { fleet } from '../../api/fleet.ts';
import { Button } from '../../components/button.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { type Option, SelectField, TextArea } from '../../components/field.tsx';
import { explain } from '../../components/notice.tsx';
import { toast } from '../../components/toast.tsx';
import { useSubmit } from '../../components/use-form.ts';
import type { Message } from '../../conversations/entry.tsx';
import { taskHref } from '../../tasks/task-cells.tsx';
import { isEnded } from '../../tasks/task-rows.ts';
import { CancelDialog } from './task-dialogs.tsx';
import { pathOf, toContinuation } from './task-record.ts';

const TASK = '/agents/{agent_id}/tasks/{task_id}';
const MODES: Option[] = [
  { value: 'queue', label: 'Queue: after this turn' },
  { value: 'steer', label: 'Steer: into this turn' },
  { value: 'interrupt', label: 'Interrupt: stops this turn' },
];
const HINTS: Partial<Record<Task['status'], string>> = {
  pending: 'It becomes a part of the first prompt.',
  running: 'The agent gets it while it works. What it cannot take into a turn is queued.',
  input_required: 'The agent reads it when it goes on. What it asks is answered above.',
};

interface ComposerProps {
  record: Task;
  /** Something was sent. */
  onDone: () => void;
}

/** Says something to a task, stops it, or goes on with its session once it has ended. It says what it will do. */
export function Composer({ record, onDone }: ComposerProps) {
  const { agent_id, status, cancel_requested_at } = record;
  const path = pathOf(record);
  const { route } = useLocation();
  const { dialog, open } = useDialog();
  const [text, setText] = useState('');
  const [mode, setMode] = useState<Message['mode']>('queue');
  const hasEnded = isEnded(status);
  const isRunning = status === 'running';

  const { error, isBusy, submit } = useSubmit(async () => {
    if (hasEnded) {
      const { data } = await fleet.post('/agents/{agent_id}/tasks', {
        params: { path: { agent_id } },
        body: toContinuation(record, text),
      });
      return route(taskHref(data));
    }
    await fleet.post(`${TASK}/messages`, { params: { path }, body: { text, mode: isRunning ? mode : 'queue' } });
    setText('');
    onDone();
  });
  const interrupt = () => {
    fleet.put(`${TASK}/interruption`, { params: { path } }).then(
      () => toast('The agent was asked to stop its turn.'),
      (failure: unknown) => toast(explain(failure), 'error'),
    );
  };
  const cancel = () => open((close) => <CancelDialog record={record} onClose={close} onDone={onDone} />);

  return (
    <div class="composer">
      <form class="stack-tight" onSubmit={submit}>
        <TextArea
          label={hasEnded ? 'Continue' : 'Message to the agent'}
          isLabelHidden
          hint={HINTS[status] ?? 'Goes on in the session of this task: a new task with the same options.'}
          error={error === undefined ? undefined : explain(error)}
          rows={2}
          required
          maxLength={32_768}
          value={text}
          onInput={setText}
        />
        <div class="row">
          <Button type="submit" kind="primary" isBusy={isBusy}>
            {hasEnded ? 'Continue' : 'Send'}
          </Button>
          {isRunning && (
            <SelectField
              label="How it is sent"
              isLabelHidden
              value={mode}
              options={MODES}
              onInput={(value) => setMode(value as Message['mode'])}
            />
          )}
          <span class="row end">
            {isRunning && <Button onClick={interrupt}>Interrupt</Button>}
            {!hasEnded && (
              <Button disabled={cancel_requested_at !== null} onClick={cancel}>
                Cancel task
              </Button>
            )}
          </span>
        </div>
      </form>
      {dialog}
    </div>
  );
}
