import type { components } from '@agent-fleet/sdk';
import { Tabs } from '../../components/tabs.tsx';
import type { TaskFilter } from '../../requests/tasks.ts';

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
  const tabOf = (label: string, status?: string, total: number | null = null) => ({
    label,
    href: hrefOf(status),
    isCurrent: current === status,
    total,
  });
  const tabs = STATUSES.map((status) =>
    tabOf(`${status.charAt(0).toUpperCase()}${status.slice(1)}`, status, counts?.by_status[status]),
  );
  return <Tabs label="Status" tabs={[tabOf('All', undefined, counts?.total), ...tabs]} />;
}
