import { type AgentName, agentLabel } from '../agents/agent-names.ts';
import { StatusBadge } from '../components/badge.tsx';
import { type Column, RowLink } from '../components/table.tsx';
import { currentTime } from '../text/clock.ts';
import { dollars } from '../text/numbers.ts';
import { beginning } from '../text/pieces.ts';
import { RelativeTime } from '../text/relative-time.tsx';
import { safeLine } from '../text/safe-text.ts';
import { duration } from '../text/times.ts';
import type { TaskRow } from './task-rows.ts';
import './tasks.css';

const MAX_CHARACTERS = 240;
const SHOWN_TAGS = 2;

export function taskHref({ agent_id, id }: { agent_id: string; id: string }): string {
  return `/console/agents/${agent_id}/tasks/${id}`;
}

/** The first line of a message. */
export function firstLine(message: string): string {
  const [line = ''] = beginning(message.trimStart(), MAX_CHARACTERS).split('\n');
  return safeLine(line);
}

interface MessageCellProps {
  row: TaskRow;
  agent: AgentName | null | undefined;
}

/** With its tags; on narrow screens also what has no column there. */
function MessageCell({ row, agent }: MessageCellProps) {
  return (
    <>
      <div class="row cell-with-badge">
        <span class="cut">
          <RowLink href={taskHref(row)}>{firstLine(row.message)}</RowLink>
        </span>
        <Labels row={row} />
      </div>
      <p class="narrow-only small muted cut">
        <RelativeTime at={row.created_at} />
        {agent ? ` · ${safeLine(agent.name)}` : ''}
      </p>
    </>
  );
}

function Labels({ row: { tags } }: { row: TaskRow }) {
  const all = tags?.map(safeLine) ?? [];
  const more = all.length - SHOWN_TAGS;
  return (
    <span class="labels wide-only" title={all.join(', ') || undefined}>
      {all.slice(0, SHOWN_TAGS).map((tag, index) => (
        <span key={index} class="tag cut">
          {tag}
        </span>
      ))}
      {more > 0 && <span class="small muted more">+{more}</span>}
    </span>
  );
}

function StatusCell({ row }: { row: TaskRow }) {
  return (
    <span class="task-status">
      <StatusBadge status={row.status} />
      <StatusDetail row={row} />
    </span>
  );
}

function StatusDetail({ row }: { row: TaskRow }) {
  const { status, progress, error } = row;
  if (status === 'running' && row.cancel_requested_at) return <Detail>cancelling</Detail>;
  if (status === 'running' && progress?.percent != null) return <Detail>{Math.floor(progress.percent)} %</Detail>;
  if (status === 'failed' && error) return <Detail title={error.message}>{error.code}</Detail>;
  if (status === 'pending') return <WaitingDetail row={row} />;
  return null;
}

function WaitingDetail({ row: { scheduled_at, next_attempt_at } }: { row: TaskRow }) {
  const now = currentTime();
  const isLater = (time: string | null) => time !== null && Date.parse(time) > now;
  if (scheduled_at !== null && isLater(scheduled_at)) return <TimeDetail word="starts" at={scheduled_at} />;
  if (next_attempt_at !== null && isLater(next_attempt_at)) return <TimeDetail word="retries" at={next_attempt_at} />;
  return null;
}

function TimeDetail({ word, at }: { word: string; at: string }) {
  return (
    <span class="small muted">
      {word} <RelativeTime at={at} />
    </span>
  );
}

function Detail({ children, title }: { children: unknown; title?: string }) {
  const text = safeLine(Array.isArray(children) ? children.join('') : String(children));
  return (
    <span class="small muted cut task-detail" title={title === undefined ? undefined : firstLine(title)}>
      {text}
    </span>
  );
}

export function AgentCell({ id, agent }: { id: string; agent: AgentName | null | undefined }) {
  return (
    <a href={`/console/agents/${id}`} class="quiet-link cut agent-cell">
      {agent === null ? 'deleted agent' : agentLabel(id, agent)}
    </a>
  );
}

/** How long the last attempt took, or takes, in ms; null before it. */
export function durationOf({ started_at, completed_at, status }: TaskRow): number | null {
  if (started_at === null || status === 'pending') return null;
  const end = completed_at === null ? currentTime() : Date.parse(completed_at);
  return Math.max(0, end - Date.parse(started_at));
}

function DurationCell({ row }: { row: TaskRow }) {
  const ms = durationOf(row);
  return ms === null ? <span class="muted">–</span> : <span class="duration-cell">{duration(ms)}</span>;
}

/** The columns of a list of tasks; without `agents`, of those of one agent. */
export function taskColumns(agents?: ReadonlyMap<string, AgentName | null>): Column<TaskRow>[] {
  const agent: Column<TaskRow> = {
    title: 'Agent',
    isWideOnly: true,
    cell: ({ agent_id }) => <AgentCell id={agent_id} agent={agents?.get(agent_id)} />,
  };
  return [
    { title: 'Task', isMain: true, cell: (row) => <MessageCell row={row} agent={agents?.get(row.agent_id)} /> },
    { title: 'Status', cell: (row) => <StatusCell row={row} /> },
    ...(agents ? [agent] : []),
    {
      title: 'Attempts',
      isWideOnly: true,
      isNumber: true,
      cell: ({ attempt, max_attempts }) => `${attempt}/${max_attempts}`,
    },
    { title: 'Duration', isWideOnly: true, isNumber: true, cell: (row) => <DurationCell row={row} /> },
    { title: 'Cost', isWideOnly: true, isNumber: true, cell: ({ cost }) => (cost ? dollars(cost.amount) : '–') },
    {
      title: 'Created',
      isWideOnly: true,
      isNumber: true,
      cell: ({ created_at }) => (
        <span class={agents && 'created-cell'}>
          <RelativeTime at={created_at} />
        </span>
      ),
    },
  ];
}
