import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../../components/button.tsx';
import { count, plural } from '../../../text/numbers.ts';
import type { TaskFilter } from '../task-query.ts';
import type { TaskSelection } from '../use-selection.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import { BulkProgress } from './bulk-progress.tsx';
import { bulkRun } from './bulk-run.ts';
import { type BulkVerb, concerns, VERBS, WORDS } from './bulk-verbs.ts';
import { resumeBulkAction } from './run-by-filter.ts';

interface BulkActionsProps {
  selection: TaskSelection;
  filter: TaskFilter;
  /** How many tasks match the filter. */
  total: number | undefined;
  onEnd: () => void;
}

/** What can be done with the selected tasks, or how far it is. It lies above the page: nothing moves. */
export function BulkActions({ selection, filter, total, onEnd }: BulkActionsProps) {
  const [verb, setVerb] = useState<BulkVerb>();
  useEffect(resumeBulkAction, []);
  const run = bulkRun.value;
  if (run) return <BulkProgress run={run} onEnd={onEnd} />;
  if (selection.rows.length === 0) return null;
  return (
    <>
      <SelectionBar selection={selection} total={total} onChoose={setVerb} />
      {verb && (
        <BulkDialog
          verb={verb}
          rows={selection.isAll ? undefined : selection.rows}
          filter={filter}
          onClose={() => setVerb(undefined)}
          onBegin={selection.clear}
        />
      )}
    </>
  );
}

interface SelectionBarProps {
  selection: TaskSelection;
  total: number | undefined;
  onChoose: (verb: BulkVerb) => void;
}

function SelectionBar({ selection, total = 0, onChoose }: SelectionBarProps) {
  const { rows, ids, isAll, selectAll, clear } = selection;
  const mayBeAll = !isAll && total > ids.size;
  return (
    <section class="bulk-bar" aria-label="Selected tasks">
      <p class="number" role="status">
        {isAll ? `All ${plural(total, 'task')} selected` : `${count(rows.length)} selected`}
      </p>
      {mayBeAll && (
        <Button kind="quiet" onClick={selectAll}>
          Select all {count(total)} that match
        </Button>
      )}
      <div class="row end">
        {VERBS.map((verb) => (
          <Button
            key={verb}
            kind={verb === 'delete' ? 'danger' : 'plain'}
            disabled={!isAll && !rows.some((row) => concerns(verb, row))}
            onClick={() => onChoose(verb)}
          >
            {WORDS[verb].label}
          </Button>
        ))}
        <Button kind="quiet" aria-label="Clear the selection" onClick={clear}>
          ✕
        </Button>
      </div>
    </section>
  );
}
