import { type components, FleetError } from '@agent-fleet/sdk';
import { useState } from 'preact/hooks';
import { type DraftErrors, type TaskDraft, toDraftErrors, toTaskInput } from './task-draft.ts';

/** The state of a form of a task. */
export function useTaskDraft(initial: TaskDraft) {
  const [draft, setDraft] = useState(initial);
  const [errors, setErrors] = useState<DraftErrors>({});

  /** Sends the task; errors of fields are shown at them. @throws Error what the form shows */
  async function submit(send: (body: components['schemas']['TaskInput']) => Promise<void>): Promise<void> {
    const result = toTaskInput(draft);
    setErrors('errors' in result ? result.errors : {});
    if ('errors' in result) throw new Error('Correct the marked fields.');
    try {
      await send(result.body);
    } catch (error) {
      if (error instanceof FleetError) setErrors(toDraftErrors(error.fields));
      throw error;
    }
  }

  return { fields: { draft, errors, onChange: setDraft }, submit };
}
