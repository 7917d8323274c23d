import { Button } from '../../../components/button.tsx';
import { saveFile } from '../../../components/copy.tsx';
import { SelectField, TextField } from '../../../components/field.tsx';
import { explain } from '../../../components/notice.tsx';
import { toast } from '../../../components/toast.tsx';
import type { Attempt } from '../../../plots/attempt-rows.ts';
import type { TaskPath } from '../task-record.ts';
import { type LogFilter, plainText, toMatcher } from './log-buffer.ts';
import { readAll } from './log-source.ts';
import type { useLog } from './use-log.ts';

/** From the start of an attempt to that of the next one; the first has what came before it, too. */
function spanOf(starts: readonly number[], index: number): LogFilter['span'] {
  const from = index === 0 ? Number.NEGATIVE_INFINITY : (starts[index] ?? 0);
  return { from, to: starts[index + 1] ?? Number.POSITIVE_INFINITY };
}

interface LogToolbarProps {
  task: TaskPath;
  log: ReturnType<typeof useLog>;
  attempts: readonly Attempt[];
}

/** What is shown of a log. The file has all entries that match, not only those that are loaded. */
export function LogToolbar({ task, log, attempts }: LogToolbarProps) {
  const { filter, setFilter } = log;
  const starts = attempts.map(({ started_at }) => Date.parse(started_at));
  const next = starts.indexOf(filter.span?.to ?? Number.NaN);
  const download = async () => {
    const entries = (await readAll(task)).filter(toMatcher(filter));
    saveFile(new Blob(entries.map((entry) => `${plainText(entry)}\n`)), `task-${task.task_id}.log`);
  };
  return (
    <div class="log-toolbar row">
      {log.state === 'reconnecting' && <span class="small muted">Reconnecting</span>}
      <TextField
        label="Filter lines"
        isLabelHidden
        type="search"
        placeholder="Filter"
        autocomplete="off"
        isSearch
        value={filter.text}
        onInput={(text) => setFilter({ ...filter, text })}
      />
      {starts.length > 1 && (
        <SelectField
          label="Attempt"
          isLabelHidden
          value={filter.span ? String((next < 0 ? starts.length : next) - 1) : ''}
          options={[
            { value: '', label: 'All attempts' },
            ...attempts.map(({ number }, index) => ({ value: String(index), label: `Attempt ${number}` })),
          ]}
          onInput={(value) => setFilter({ ...filter, span: value === '' ? undefined : spanOf(starts, Number(value)) })}
        />
      )}
      <Button
        kind="quiet"
        isSmall
        onClick={() => {
          download().catch((error: unknown) => toast(`The log could not be loaded. ${explain(error)}`, 'error'));
        }}
      >
        Download
      </Button>
    </div>
  );
}
