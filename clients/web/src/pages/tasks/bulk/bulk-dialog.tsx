import { useQuery } from '../../../api/use-query.ts';
import { FormDialog } from '../../../components/dialog.tsx';
import { explain } from '../../../components/notice.tsx';
import { plural } from '../../../text/numbers.ts';
import { safeLine } from '../../../text/safe-text.ts';
import { describeFilter } from '../filter-values.ts';
import type { TaskFilter } from '../task-query.ts';
import type { TaskRow } from '../task-rows.ts';
import { type BulkVerb, concerns, toBulkFilter, WORDS } from './bulk-verbs.ts';
import { countMatches, runByFilter } from './run-by-filter.ts';
import { runSelected } from './run-selected.ts';

interface BulkDialogProps {
  verb: BulkVerb;
  /** Undefined: all tasks that match the filter. */
  rows: readonly TaskRow[] | undefined;
  filter: TaskFilter;
  onClose: () => void;
  onBegin: () => void;
}

/** Says how many tasks would change, and asks. */
export function BulkDialog({ verb, rows, filter, onClose, onBegin }: BulkDialogProps) {
  const chosen = rows?.filter((row) => concerns(verb, row));
  const bulkFilter = toBulkFilter(verb, filter);
  const preview = useQuery(chosen ? null : JSON.stringify([verb, bulkFilter]), (signal) =>
    countMatches(verb, bulkFilter, signal),
  );
  const matched = chosen?.length ?? preview.data;
  const { label, question, participle, dismiss, note } = WORDS[verb];

  async function begin(): Promise<void> {
    if (chosen) void runSelected(verb, chosen);
    else await runByFilter(verb, bulkFilter);
    onBegin();
  }

  return (
    <FormDialog
      title={question}
      action={matched === undefined ? label : `${label} ${plural(matched, 'task')}`}
      dismissLabel={dismiss}
      isDangerous={verb === 'delete'}
      isDisabled={!matched}
      onSubmit={begin}
      onClose={onClose}
    >
      <div class="stack-tight">
        <p role="status">
          {preview.error !== undefined ? (
            explain(preview.error)
          ) : (
            <Matched number={matched} of={rows?.length} participle={participle} />
          )}
        </p>
        {!rows && Object.keys(filter).length > 0 && (
          <p class="anywhere">
            Filter: <span class="mono">{safeLine(describeFilter(filter))}</span>
          </p>
        )}
        <p class="muted">{note}</p>
      </div>
    </FormDialog>
  );
}

interface MatchedProps {
  number: number | undefined;
  of: number | undefined;
  participle: string;
}

function Matched({ number, of, participle }: MatchedProps) {
  if (number === undefined) return <>Counting the tasks…</>;
  const part = of === undefined || of === number ? '' : ` of the ${of} selected`;
  return (
    <strong>
      {plural(number, 'task')}
      {part} will be {participle}.
    </strong>
  );
}
