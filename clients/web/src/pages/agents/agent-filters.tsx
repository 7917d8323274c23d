import type { components } from '@agent-fleet/sdk';
import { SelectField } from '../../components/field.tsx';
import { Tabs } from '../../components/tabs.tsx';
import type { Address } from '../../frame/address.ts';
import type { AgentsQuery } from '../../requests/agents.ts';
import { safeLine } from '../../text/safe-text.ts';

type Stats = components['schemas']['Stats'];

const STATUSES = [
  ['active', 'Active'],
  ['idle', 'Idle'],
  ['error', 'Error'],
  ['offline', 'Offline'],
] as const;

interface AgentFiltersProps {
  address: Address;
  query: AgentsQuery;
  stats: Stats | undefined;
}

/** A change begins again with the first page. */
export function AgentFilters({ address, query, stats }: AgentFiltersProps) {
  const set = (changes: Record<string, string | undefined>) => address.set({ ...changes, skip: undefined });
  const types = Object.keys(stats?.agents.by_type ?? {});
  const options = query.type && !types.includes(query.type) ? [...types, query.type] : types;
  return (
    <div class="stack">
      <StatusTabs address={address} query={query} stats={stats} />
      <div class="agent-filters">
        <SelectField
          label="Type"
          isLabelHidden
          value={query.type ?? ''}
          options={[
            { value: '', label: 'All types' },
            ...options.map((type) => ({ value: type, label: safeLine(type) })),
          ]}
          onChange={(type) => set({ type })}
        />
        <SelectField
          label="Paused"
          isLabelHidden
          value={String(query.paused ?? '')}
          options={[
            { value: '', label: 'Paused or not' },
            { value: 'true', label: 'Paused' },
            { value: 'false', label: 'Not paused' },
          ]}
          onChange={(paused) => set({ paused })}
        />
        <SelectField
          label="Order"
          isLabelHidden
          value={query.order}
          options={[
            { value: 'desc', label: 'Newest first' },
            { value: 'asc', label: 'Oldest first' },
          ]}
          onChange={(order) => set({ order: order === 'asc' ? order : undefined })}
        />
      </div>
    </div>
  );
}

/** The agents of each status, with their numbers unless another filter is set. */
function StatusTabs({ address, query, stats }: AgentFiltersProps) {
  const counts = query.type === undefined && query.paused === undefined ? stats?.agents : undefined;
  const tabOf = (label: string, status?: string, total: number | null = null) => ({
    label,
    href: address.hrefOf({ status, skip: undefined }),
    isCurrent: query.status === status,
    total,
  });
  const tabs = STATUSES.map(([status, label]) => tabOf(label, status, counts?.by_status[status]));
  return <Tabs label="Status" tabs={[tabOf('All', undefined, counts?.total), ...tabs]} />;
}
