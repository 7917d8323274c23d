import { Skeleton } from '../components/skeleton.tsx';
import { type Attempt, type TimedTask, toTimelineRows } from './attempts/attempt-rows.ts';
import { TimelineItem } from './attempts/timeline-row.tsx';
import { placeRows } from './attempts/timeline-scale.ts';
import { useNow } from './attempts/use-now.ts';
import { momentText } from './step-time.ts';

interface AttemptTimelineProps {
  task: TimedTask & { attempt: number };
  /** Undefined while they are on their way. */
  attempts: readonly Attempt[] | undefined;
  /** In ms since 1970; default: the present, each second. */
  now?: number;
}

/** When a task waited and ran: a row for each attempt, on one scale of time. */
export function AttemptTimeline({ task, attempts, now }: AttemptTimelineProps) {
  const present = useNow(task.completed_at === null && now === undefined);
  if (!attempts) return <Skeleton height={`${(task.attempt + 1) * 2.75 + 1.5}rem`} />;
  const { rows, isShortened } = placeRows(toTimelineRows(task, attempts, now ?? present));
  return (
    <div class="timeline">
      <ol aria-label="Attempts">
        {rows.map((row, index) => (
          <TimelineItem key={index} {...row} />
        ))}
      </ol>
      <p class="timeline-scale">
        <span>{momentText(Date.parse(task.created_at))}</span>
        {isShortened && <span>Waiting is drawn shorter than it was</span>}
        <span>{task.completed_at === null ? 'now' : momentText(Date.parse(task.completed_at))}</span>
      </p>
    </div>
  );
}
