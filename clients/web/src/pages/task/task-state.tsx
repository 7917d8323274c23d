import type { Task } from '@agent-fleet/sdk';
import type { ComponentChildren } from 'preact';
import { resumeAgent } from '../../agents/agent-actions.tsx';
import { workerCommand } from '../../agents/commands.tsx';
import { may } from '../../api/session.ts';
import type { Query } from '../../api/use-query.ts';
import { Button } from '../../components/button.tsx';
import { CommandLine } from '../../components/copy.tsx';
import { LongText } from '../../components/long-text.tsx';
import { explain } from '../../components/notice.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import type { Attempt } from '../../plots/attempt-rows.ts';
import { useNow } from '../../plots/attempt-timeline.tsx';
import { type Waiting, waitingWords } from '../../tasks/waiting.ts';
import { failureMeaning, failureRemedy } from '../../text/failures.ts';
import { costText } from '../../text/numbers.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import { safeLine } from '../../text/safe-text.ts';
import type { Tone } from '../../text/statuses.ts';
import { duration } from '../../text/times.ts';

interface TaskStateProps {
  record: Task;
  waiting: Pick<Query<Waiting>, 'data' | 'error' | 'reload'>;
  /** The type of its agent, as far as it is known. */
  type: string | undefined;
  attempts?: readonly Attempt[] | undefined;
}

/** What happens with the task, or what came of it beside its result. */
export function TaskState({ record, waiting, type, attempts }: TaskStateProps) {
  const { status, error, completed_at } = record;
  if (status === 'pending') return <Pending record={record} waiting={waiting} type={type} />;
  if (status === 'running' || status === 'input_required') return <AtWork record={record} attempts={attempts} />;
  if (status === 'failed') return <Failed record={record} />;
  if (status === 'completed') return null;
  return (
    <State tone="warn" title="Cancelled" text={completed_at && <RelativeTime at={completed_at} />}>
      {error?.message && <LongText text={error.message} maxCharacters={1_000} />}
    </State>
  );
}

interface StateProps {
  tone: Tone;
  title: ComponentChildren;
  text: ComponentChildren;
  actions?: ComponentChildren;
  children?: ComponentChildren;
}

function State({ tone, title, text, actions, children }: StateProps) {
  return (
    <section class="stack task-state" data-tone={tone} aria-label="State">
      <div class="row">
        <div class="grow">
          <p class="notice-title">{title}</p>
          <p class="muted">{text}</p>
        </div>
        {actions}
      </div>
      {children}
    </section>
  );
}

function Pending({ record, waiting, type }: TaskStateProps) {
  if (!waiting.data && waiting.error !== undefined) {
    const text = `Why it waits could not be loaded. ${explain(waiting.error)}`;
    const retry = <Button onClick={waiting.reload}>Try again</Button>;
    return <State tone="neutral" title="Pending" text={text} actions={retry} />;
  }
  if (!waiting.data) return <State tone="neutral" title="Pending" text={<Skeleton width="16rem" height="1.5em" />} />;
  const { title, text, at, remedy } = waitingWords(waiting.data, record);
  const tone = remedy ? 'warn' : 'neutral';
  const error = record.error ? ` The last attempt failed: ${failureMeaning(record.error.code)}.` : '';
  return (
    <State
      tone={tone}
      title={title}
      text={
        <>
          {text} {at && <RelativeTime at={at} />}
          {at && '.'}
          {error}
        </>
      }
      actions={
        remedy === 'resume' &&
        may('agents:write') && (
          <Button onClick={() => void resumeAgent(record.agent_id, 'Agent')}>Resume the agent</Button>
        )
      }
    >
      {remedy === 'worker' && <CommandLine command={workerCommand(type, record.agent_id)} label="the command" />}
    </State>
  );
}

/** With what its attempts have cost so far. */
function AtWork({ record, attempts = [] }: Pick<TaskStateProps, 'record' | 'attempts'>) {
  const { status, progress, cancel_requested_at: cancelled, started_at, attempt, max_attempts, worker_id } = record;
  const now = useNow(true);
  const started = started_at === null ? 0 : Date.parse(started_at);
  const amount = attempts.reduce((sum, { cost }) => sum + (cost?.amount ?? 0), 0);
  const estimated = attempts.some(({ cost }) => cost?.estimated);
  const isAsking = status === 'input_required';
  return (
    <State
      tone={cancelled ? 'warn' : isAsking ? 'ask' : 'info'}
      title={
        cancelled
          ? 'The worker was asked to stop'
          : isAsking
            ? 'It waits for input'
            : safeLine(progress?.message || 'Running')
      }
      text={
        <>
          Attempt {attempt} of {max_attempts}
          {worker_id && (
            <>
              {' '}
              on <span class="mono">{safeLine(worker_id)}</span>
            </>
          )}
          , for {duration(Math.max(0, now - started))}
          {amount > 0 && `, ${costText({ amount, estimated, currency: 'USD' })}`}
          {cancelled && (
            <>
              . Cancellation requested <RelativeTime at={cancelled} />
            </>
          )}
        </>
      }
      actions={progress?.percent != null && <span class="task-percent number">{Math.floor(progress.percent)} %</span>}
    >
      {!isAsking && <progress class="progress" max={100} value={progress?.percent ?? 0} aria-label="Progress" />}
    </State>
  );
}

function Failed({ record }: { record: Task }) {
  const { error, attempt, max_attempts } = record;
  const code = error?.code ?? 'unknown';
  return (
    <State
      tone="error"
      title={failureMeaning(code)}
      text={
        <>
          {failureRemedy(code)} <span class="mono small">{safeLine(code)}</span>{' '}
          {attempt === 0 ? 'before it started.' : `after ${attempt} of ${max_attempts} attempts. ${tookText(record)}`}
        </>
      }
    >
      {error?.message && (
        <div class="task-error">
          <LongText text={error.message} maxCharacters={1_000} isMono />
        </div>
      )}
    </State>
  );
}

function tookText({ started_at, completed_at, worker_id }: Task): string {
  if (started_at === null || completed_at === null) return '';
  const took = duration(Date.parse(completed_at) - Date.parse(started_at));
  return `The last attempt took ${took}${worker_id ? ` on ${safeLine(worker_id)}` : ''}.`;
}
