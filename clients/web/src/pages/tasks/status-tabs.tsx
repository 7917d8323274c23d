import type { components } from '@agent-fleet/sdk';
import { compact, count } from '../../text/numbers.ts';
import type { TaskFilter } from './task-query.ts';

type Stats = components['schemas']['Stats'];

const STATUSES = ['pending', 'running', 'completed', 'failed', 'cancelled'] as const;

interface StatusTabsProps {
  filter: TaskFilter;
  /** Undefined while they are on their way. */
  stats: Stats | undefined;
  hrefOf: (status: string | undefined) => string;
}

/** The tasks of each status, with their numbers unless another filter is set. */
export function StatusTabs({ filter, stats, hrefOf }: StatusTabsProps) {
  const { status: current, ...others } = filter;
  const counts = Object.keys(others).length === 0 ? stats?.tasks : undefined;
  return (
    <nav class="tabs" aria-label="Status">
      <StatusTab label="All" href={hrefOf(undefined)} isCurrent={current === undefined} number={counts?.total} />
      {STATUSES.map((status) => (
        <StatusTab
          key={status}
          label={`${status.charAt(0).toUpperCase()}${status.slice(1)}`}
          href={hrefOf(status)}
          isCurrent={current === status}
          number={counts?.by_status[status]}
        />
      ))}
    </nav>
  );
}

interface StatusTabProps {
  label: string;
  href: string;
  isCurrent: boolean;
  number: number | undefined;
}

function StatusTab({ label, href, isCurrent, number }: StatusTabProps) {
  return (
    <a href={href} class="tab" aria-current={isCurrent ? 'page' : undefined}>
      {label}
      <span class="tab-count number" title={number === undefined ? undefined : count(number)}>
        {number === undefined ? '' : compact(number)}
      </span>
    </a>
  );
}
