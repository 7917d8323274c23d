import { useEffect } from 'preact/hooks';
import { Button } from '../../../components/button.tsx';
import { explain } from '../../../components/notice.tsx';
import { toast } from '../../../components/toast.tsx';
import { count, plural } from '../../../text/numbers.ts';
import { safeLine } from '../../../text/safe-text.ts';
import { taskHref } from '../task-cells.tsx';
import { type BulkFailure, type BulkRun, dismissBulkRun } from './bulk-run.ts';
import { WORDS } from './bulk-verbs.ts';

/** How far an action on many tasks has come. Without failures it disappears when it has ended. */
export function BulkProgress({ run, onEnd }: { run: BulkRun; onEnd: () => void }) {
  const { action, state, matched, done, failed, failures } = run;
  useEffect(() => {
    if (state === 'running') return;
    onEnd();
    toast(summarise(run), failed > 0 ? 'error' : 'ok');
    if (failed === 0) dismissBulkRun();
  }, [state]);
  return (
    <section class="bulk-bar" aria-label="Action on many tasks">
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
