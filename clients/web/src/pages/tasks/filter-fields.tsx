import { useEffect, useState } from 'preact/hooks';
import { TextField } from '../../components/field.tsx';
import { fromLocalInput, toLocalInput } from '../../text/local-time.ts';

interface TextFilterProps {
  label: string;
  value: string | undefined;
  onChange: (value: string) => void;
  isSearch?: boolean;
}

/** Values must be exact, so they count when the field is left, or with Enter. */
export function TextFilter({ label, value = '', onChange, isSearch }: TextFilterProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const commit = () => text.trim() !== value && onChange(text.trim());
  return (
    <form
      class="task-filter-text"
      onSubmit={(event) => {
        event.preventDefault();
        commit();
      }}
      onFocusOut={commit}
    >
      <TextField
        label={label}
        isLabelHidden
        type="search"
        placeholder={label}
        autocomplete="off"
        value={text}
        onInput={setText}
        isSearch={isSearch}
      />
    </form>
  );
}

interface TimeFilterProps {
  label: string;
  value: string | undefined;
  onChange: (iso: string | undefined) => void;
}

export function TimeFilter({ label, value, onChange }: TimeFilterProps) {
  return (
    <label class="task-filter-time">
      <span class="small muted nowrap">{label}</span>
      <input
        class="input"
        type="datetime-local"
        value={toLocalInput(value)}
        onChange={(event) => onChange(fromLocalInput(event.currentTarget.value))}
      />
    </label>
  );
}
