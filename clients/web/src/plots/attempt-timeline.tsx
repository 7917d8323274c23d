import { useEffect, useState } from 'preact/hooks';
import { Badge } from '../components/badge.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { failureMeaning } from '../text/failures.ts';
import { spentParts } from '../text/numbers.ts';
import { short } from '../text/pieces.ts';
import { Clock } from '../text/relative-time.tsx';
import { safeLine } from '../text/safe-text.ts';
import type { Tone } from '../text/statuses.ts';
import { duration } from '../text/times.ts';
import {
  type Attempt,
  MIN_GAP_MS,
  placeOf,
  type Span,
  type TimedTask,
  type TimelineRow,
  toTimelineRows,
} from './attempt-rows.ts';
import { momentText } from './plot-values.ts';
import './attempt-timeline.css';

interface AttemptTimelineProps {
  task: TimedTask & { attempt: number };
  /** Undefined while they are on their way. */
  attempts: readonly Attempt[] | undefined;
}

/** When a task waited and ran: a row for each attempt, on one scale of time. */
export function AttemptTimeline({ task, attempts }: AttemptTimelineProps) {
  const present = useNow(task.completed_at === null);
  if (!attempts) return <Skeleton height={`${(task.attempt + 1) * 2.75 + 1.5}rem`} />;
  const rows = toTimelineRows(task, attempts, present);
  return (
    <div class="timeline">
      <ol aria-label="Attempts">
        {rows.map((row, index) => (
          <TimelineItem key={index} row={row} rows={rows} />
        ))}
      </ol>
      <p class="timeline-scale">
        {[task.created_at, task.completed_at].map((at) => (
          <span key={at}>{at === null ? 'now' : <Clock at={at}>{momentText(Date.parse(at))}</Clock>}</span>
        ))}
      </p>
    </div>
  );
}

const MAX_ERROR_CHARACTERS = 500;
const MAX_PART_CHARACTERS = 100;

const IDLE_TITLES: Partial<Record<TimelineRow['kind'], string>> = {
  scheduled: 'Scheduled',
  waiting: 'Waiting',
  input_required: 'Waiting for input',
  retry_delay: 'Waiting for retry',
};

const OUTCOMES: Record<Attempt['outcome'] | 'input_required', { word: string; tone: Tone }> = {
  running: { word: 'Running', tone: 'info' },
  input_required: { word: 'Waiting for input', tone: 'ask' },
  completed: { word: 'Completed', tone: 'ok' },
  failed: { word: 'Failed', tone: 'error' },
  cancelled: { word: 'Cancelled', tone: 'warn' },
  lease_expired: { word: 'Lease expired', tone: 'warn' },
  timeout: { word: 'Timed out', tone: 'error' },
  released: { word: 'Released', tone: 'neutral' },
  suspended: { word: 'Suspended', tone: 'ask' },
  parked: { word: 'Parked', tone: 'warn' },
};

function TimelineItem({ row, rows }: { row: TimelineRow; rows: readonly TimelineRow[] }) {
  const { kind, span, gap, attempt, isGoingOn } = row;
  const outcome = attempt && OUTCOMES[kind === 'input_required' ? kind : attempt.outcome];
  return (
    <li class="timeline-row">
      <div class="timeline-head">
        <span class="timeline-title">{attempt ? `Attempt ${attempt.number}` : IDLE_TITLES[kind]}</span>
        {outcome && <Badge tone={outcome.tone}>{outcome.word}</Badge>}
        {attempt && <span class="cut timeline-worker">{safeLine(attempt.worker_id)}</span>}
      </div>
      <div class="timeline-track" aria-hidden="true">
        {gap && <span class="timeline-gap" style={placed(gap, rows)} />}
        <span class="timeline-bar" data-kind={kind} data-tone={outcome?.tone} style={placed(span, rows)} />
      </div>
      <span class="timeline-length">{lengthText(span, isGoingOn)}</span>
      {attempt && <Detail attempt={attempt} gap={gap} />}
    </li>
  );
}

function Detail({ attempt, gap }: { attempt: Attempt; gap: TimelineRow['gap'] }) {
  const { error } = attempt;
  const parts = spentParts(attempt);
  if (gap && gap.to - gap.from >= MIN_GAP_MS) parts.unshift(pauseText(gap));
  if (!error && parts.length === 0) return null;
  return (
    <p class="timeline-detail">
      {parts.map((part) => (
        <span key={part}>{short(part, MAX_PART_CHARACTERS)}</span>
      ))}
      {error && (
        <span class="timeline-error">
          {short(`${failureMeaning(error.code)}: ${error.message}`, MAX_ERROR_CHARACTERS)}
        </span>
      )}
    </p>
  );
}

function pauseText(gap: NonNullable<TimelineRow['gap']>): string {
  return `${gap.isRetryDelay ? 'Retried after' : 'Leased again after'} ${lengthText(gap)}`;
}

function placed(span: Span, rows: readonly TimelineRow[]) {
  const { left, width } = placeOf(span, rows);
  return { insetInlineStart: `${left}%`, width: `${width}%` };
}

/** Of what goes on only whole seconds are shown. */
function lengthText({ from, to }: Span, isGoingOn = false): string {
  const ms = Math.max(0, to - from);
  return isGoingOn && ms < 10_000 ? `${Math.floor(ms / 1_000)} s` : duration(ms);
}

const TICK_MS = 1_000;

/** The time, anew each second while `isRunning` and the page is visible. */
export function useNow(isRunning: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isRunning) return;
    setNow(Date.now());
    const timer = setInterval(() => document.visibilityState === 'visible' && setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}
