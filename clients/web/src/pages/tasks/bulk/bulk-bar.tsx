import { useEffect, useState } from 'preact/hooks';
import { useQuery } from '../../../api/use-query.ts';
import { Button } from '../../../components/button.tsx';
import { FormDialog } from '../../../components/dialog.tsx';
import { explain } from '../../../components/notice.tsx';
import { toast } from '../../../components/toast.tsx';
import type { TaskFilter } from '../../../requests/tasks.ts';
import { taskHref } from '../../../tasks/task-cells.tsx';
import type { TaskRow } from '../../../tasks/task-rows.ts';
import { count, plural } from '../../../text/numbers.ts';
import { safeLine } from '../../../text/safe-text.ts';
import { describeFilter } from '../filter-values.ts';
import type { TaskSelection } from '../selection.tsx';
import {
  type BulkFailure,
  type BulkRun,
  bulkRun,
  countMatches,
  dismissBulkRun,
  resumeBulkAction,
  runByFilter,
  runSelected,
} from './bulk-run.ts';
import { type BulkVerb, concerns, toBulkFilter, VERBS, WORDS } from './bulk-verbs.ts';
import './bulk-bar.css';

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
    <section class="row bulk-bar" aria-label="Selected tasks">
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

interface BulkDialogProps {
  verb: BulkVerb;
  /** Undefined: all tasks that match the filter. */
  rows: readonly TaskRow[] | undefined;
  filter: TaskFilter;
  onClose: () => void;
  onBegin: () => void;
}

/** Says how many tasks would change, and asks. */
function BulkDialog({ verb, rows, filter, onClose, onBegin }: BulkDialogProps) {
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
          <p>
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

/** How far an action on many tasks has come. Without failures it disappears when it has ended. */
function BulkProgress({ run, onEnd }: { run: BulkRun; onEnd: () => void }) {
  const { action, state, matched, done, failed, failures } = run;
  useEffect(() => {
    if (state === 'running') return;
    onEnd();
    toast(summarise(run), failed > 0 ? 'error' : 'ok');
    if (failed === 0) dismissBulkRun();
  }, [state]);
  return (
    <section class="row bulk-bar" aria-label="Action on many tasks">
      <div class="grow stack-tight">
        <p class="number">
          {state === 'running' ? `${WORDS[action].running} ${plural(matched, 'task')}` : summarise(run)}
          {state === 'running' && <span class="muted"> · {count(done + failed)} done</span>}
          {state === 'running' && failed > 0 && <span class="bulk-failed"> · {count(failed)} failed</span>}
        </p>
        <progress class="progress" max={Math.max(matched, 1)} value={done + failed} aria-label="Progress" />
        {failures.length > 0 && <Failures failures={failures} failed={failed} />}
      </div>
      {state === 'running' ? (
        <Button onClick={() => void run.stop().catch((error: unknown) => toast(explain(error), 'error'))}>Stop</Button>
      ) : (
        <Button onClick={dismissBulkRun}>Close</Button>
      )}
    </section>
  );
}

function Failures({ failures, failed }: { failures: readonly BulkFailure[]; failed: number }) {
  return (
    <details>
      <summary class="small">Failed tasks</summary>
      <ul class="bulk-failures small">
        {failures.map(({ agent_id, task_id, code }) => (
          <li key={task_id} class="row">
            <a href={taskHref({ agent_id, id: task_id })} class="mono">
              {task_id}
            </a>
            <span class="muted">{safeLine(code)}</span>
          </li>
        ))}
        {failed > failures.length && <li class="muted">and {count(failed - failures.length)} more</li>}
      </ul>
    </details>
  );
}

function summarise({ action, state, done, failed }: BulkRun): string {
  const changed = `${WORDS[action].done} ${plural(done, 'task')}`;
  const stopped = state === 'stopped' ? ', then stopped' : '';
  return failed > 0 ? `${changed}${stopped}; ${count(failed)} failed` : `${changed}${stopped}`;
}
