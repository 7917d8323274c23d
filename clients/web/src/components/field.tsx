import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { safeLine } from '../text/safe-text.ts';
import './styles/field.css';

interface FieldProps {
  label: string;
  /** What is expected, below the label. */
  hint?: ComponentChildren;
  /** Why the value was refused. */
  error?: string;
  /** Shows the label to screen readers only. */
  isLabelHidden?: boolean;
}

interface InputProps extends FieldProps {
  type?: 'text' | 'email' | 'password' | 'search' | 'number' | 'date' | 'datetime-local';
  value: string;
  onInput: (value: string) => void;
  placeholder?: string;
  name?: string;
  required?: boolean;
  disabled?: boolean;
  maxLength?: number;
  min?: number;
  max?: number;
  step?: number | 'any';
  autocomplete?: 'username' | 'current-password' | 'new-password' | 'off';
  /** The key `/` goes to it. */
  isSearch?: boolean;
  /** What is offered as one types; other values are possible. */
  suggestions?: readonly string[] | undefined;
  /** Has the focus when its dialog opens. */
  autofocus?: boolean;
}

export function TextField({
  label,
  hint,
  error,
  isLabelHidden,
  onInput,
  isSearch,
  suggestions,
  type = 'text',
  ...rest
}: InputProps) {
  const id = useId();
  // The types of Preact have one variant for each type of input.
  const attributes: object = { type, ...rest };
  return (
    <FieldFrame {...{ id, label, hint, error, isLabelHidden }}>
      <input
        {...attributes}
        {...described(id, hint, error)}
        class="input"
        data-search={isSearch || undefined}
        list={suggestions && `${id}-list`}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {suggestions && (
        <datalist id={`${id}-list`}>
          {suggestions.map((value) => (
            <option key={value} value={value} />
          ))}
        </datalist>
      )}
    </FieldFrame>
  );
}

interface AreaProps extends FieldProps {
  value: string;
  onInput: (value: string) => void;
  rows?: number;
  required?: boolean;
  disabled?: boolean;
  maxLength?: number;
  isCode?: boolean;
  autofocus?: boolean;
}

export function TextArea({ label, hint, error, isLabelHidden, onInput, isCode, rows = 4, ...rest }: AreaProps) {
  const id = useId();
  return (
    <FieldFrame {...{ id, label, hint, error, isLabelHidden }}>
      <textarea
        rows={rows}
        {...rest}
        {...described(id, hint, error)}
        class={`input${isCode ? ' mono' : ''}`}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </FieldFrame>
  );
}

export interface Option {
  value: string;
  label: string;
}

export function toOption(value: string): Option {
  return { value, label: safeLine(value) };
}

type SelectProps = FieldProps & {
  value: string;
  options: readonly Option[];
  onInput: (value: string) => void;
  name?: string;
  required?: boolean;
  disabled?: boolean;
};

export function SelectField({ label, hint, error, isLabelHidden, value, options, onInput, ...rest }: SelectProps) {
  const id = useId();
  return (
    <FieldFrame {...{ id, label, hint, error, isLabelHidden }}>
      <select
        {...rest}
        {...described(id, hint, error)}
        class="input"
        value={value}
        onChange={(event) => onInput(event.currentTarget.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} selected={option.value === value}>
            {option.label}
          </option>
        ))}
      </select>
    </FieldFrame>
  );
}

interface CheckboxProps {
  label: ComponentChildren;
  isChecked: boolean;
  onChange: (isChecked: boolean) => void;
  disabled?: boolean;
}

export function Checkbox({ label, isChecked, onChange, disabled }: CheckboxProps) {
  return (
    <label class="checkbox">
      <input
        type="checkbox"
        checked={isChecked}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  );
}

function described(id: string, hint: ComponentChildren, error: string | undefined) {
  const ids = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return { id, 'aria-describedby': ids || undefined, 'aria-invalid': error ? ('true' as const) : undefined };
}

function FieldFrame(props: FieldProps & { id: string; children: ComponentChildren }) {
  const { id, label, hint, error, isLabelHidden, children } = props;
  return (
    <div class="field">
      <label class={isLabelHidden ? 'visually-hidden' : 'field-label'} for={id}>
        {label}
      </label>
      {hint && (
        <p class="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {children}
      {error && (
        <p class="field-error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
