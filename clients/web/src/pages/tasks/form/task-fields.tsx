import { SelectField, TextArea, TextField } from '../../../components/field.tsx';
import type { DraftErrors, TaskDraft } from './task-draft.ts';

const PRIORITIES = Array.from({ length: 10 }, (_, index) => {
  const value = String(index + 1);
  const word = { 1: ' (first)', 5: ' (default)', 10: ' (last)' }[index + 1] ?? '';
  return { value, label: `${value}${word}` };
});

interface TaskFieldsProps {
  draft: TaskDraft;
  errors: DraftErrors;
  onChange: (draft: TaskDraft) => void;
  /** Whether the further fields are shown at first. */
  isDetailed?: boolean;
}

/** The fields of a task: message and input, and the others behind "More options". */
export function TaskFields({ draft, errors, onChange, isDetailed }: TaskFieldsProps) {
  const field = (name: keyof TaskDraft) => ({
    value: draft[name],
    error: errors[name],
    onInput: (value: string) => onChange({ ...draft, [name]: value }),
  });
  const hasHiddenError = Object.keys(errors).some((name) => name !== 'message' && name !== 'input');
  return (
    <>
      <TextArea label="Message" rows={4} required autofocus {...field('message')} />
      <TextArea label="Input" hint="JSON, if the worker needs data." rows={4} isCode {...field('input')} />
      <details class="task-more-fields" open={isDetailed || hasHiddenError}>
        <summary>More options</summary>
        <div class="task-field-grid">
          <SelectField
            label="Priority"
            value={draft.priority}
            error={errors.priority}
            options={PRIORITIES}
            onChange={(priority) => onChange({ ...draft, priority })}
          />
          <TextField label="Tags" placeholder="release, weekly" autocomplete="off" {...field('tags')} />
          <TextField label="Start no earlier than" type="datetime-local" {...field('scheduledAt')} />
          <TextField label="Expires" type="datetime-local" {...field('expiresAt')} />
          <TextField label="Timeout of an attempt, in seconds" type="number" {...field('timeoutSeconds')} />
          <TextField label="Maximum attempts" type="number" {...field('maxAttempts')} />
        </div>
      </details>
    </>
  );
}
