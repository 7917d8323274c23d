import { Button } from '../../../components/button.tsx';
import { SelectField, TextField } from '../../../components/field.tsx';
import { plural } from '../../../text/numbers.ts';
import type { LogFilter } from './log-buffer.ts';
import type { LogState } from './log-source.ts';

const LEVEL_OPTIONS = [
  { value: 'debug', label: 'All levels' },
  { value: 'info', label: 'Info and above' },
  { value: 'warn', label: 'Warnings and errors' },
  { value: 'error', label: 'Errors' },
];

interface LogToolbarProps {
  filter: LogFilter;
  state: LogState;
  onChange: (filter: LogFilter) => void;
}

export function LogToolbar({ filter, state, onChange }: LogToolbarProps) {
  return (
    <div class="log-toolbar row">
      <TextField
        label="Filter lines"
        isLabelHidden
        type="search"
        placeholder="Filter lines"
        autocomplete="off"
        isSearch
        value={filter.text}
        onInput={(text) => onChange({ ...filter, text })}
      />
      <SelectField
        label="Level"
        isLabelHidden
        value={filter.level}
        options={LEVEL_OPTIONS}
        onChange={(level) => onChange({ ...filter, level: level as LogFilter['level'] })}
      />
      {state === 'reconnecting' && <span class="small muted">Reconnecting</span>}
    </div>
  );
}

interface NewerLinesProps {
  number: number;
  onLater: () => void;
  onNewest: () => void;
}

export function NewerLines({ number, onLater, onNewest }: NewerLinesProps) {
  return (
    <div class="log-newer row">
      <Button isSmall onClick={onLater}>
        Show later lines
      </Button>
      <Button isSmall kind="primary" onClick={onNewest}>
        {plural(number, 'newer line')} · Jump to newest
      </Button>
    </div>
  );
}
