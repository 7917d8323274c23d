import { SelectField, TextArea, TextField } from '../../../components/field.tsx';
import { type AgentOptions, NO_OPTIONS } from './agent-options.ts';
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

/** The fields of a task: message and input, and the others behind "More options" and "Agent options". */
export function TaskFields({ draft, errors, onChange, isDetailed }: TaskFieldsProps) {
  const field = (name: keyof TaskDraft) => ({
    value: draft[name],
    error: errors[name],
    onInput: (value: string) => onChange({ ...draft, [name]: value }),
  });
  const names = Object.keys(NO_OPTIONS) as (keyof AgentOptions)[];
  const failed = Object.keys(errors).filter((name) => name !== 'message' && name !== 'input');
  const isOption = (name: string) => (names as string[]).includes(name);
  return (
    <>
      <TextArea label="Message" rows={4} required autofocus {...field('message')} />
      <TextArea label="Input" hint="JSON, if the worker needs data." rows={4} isCode {...field('input')} />
      <details class="fold" open={isDetailed || !failed.every(isOption)}>
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
      <details class="fold" open={failed.some(isOption) || (isDetailed && names.some((name) => draft[name] !== ''))}>
        <summary>Agent options</summary>
        <div class="task-field-grid">
          <TextArea label="Skills" hint="Ids of the registry, one a line." rows={3} isCode {...field('skills')} />
          <TextArea label="Output schema" hint="JSON Schema." rows={3} isCode {...field('outputSchema')} />
          <TextField label="Repository" placeholder="https://github.com/…" {...field('repository')} />
          <TextField label="Ref" placeholder="branch, tag or commit" {...field('ref')} />
          <TextField label="Model" placeholder="that of the worker" {...field('model')} />
          <TextField label="Maximum cost, in USD" {...field('maxCost')} />
        </div>
      </details>
    </>
  );
}
