import { useState } from 'preact/hooks';
import type { AgentName } from '../../agents/agent-names.ts';
import { Button } from '../../components/button.tsx';
import { toOption } from '../../components/field.tsx';
import { useAddress } from '../../frame/address.ts';
import { type Filter, Filters, ORDER } from '../../list/filters.tsx';
import { FILTERS, type TaskFilter, type TaskQuery } from '../../requests/tasks.ts';
import { safeLine } from '../../text/safe-text.ts';
import { toLocalInput } from '../../text/times.ts';
import { ColumnMenu } from './columns.tsx';
import { AGES, hoursAgo } from './filter-values.ts';
import { ViewMenu } from './view-menu.tsx';

interface TaskFiltersProps {
  query: TaskQuery;
  types: readonly string[];
  agents: readonly AgentName[];
}

/** All filters but the status. */
export function TaskFilters({ query, types, agents }: TaskFiltersProps) {
  const { query: address } = useAddress();
  const [isOpen, setOpen] = useState(MORE.some(({ name }) => name !== 'created_after' && address.has(name)));
  const agentOptions = agents.map(({ id, name }) => ({ value: id, label: safeLine(name) }));
  return (
    <div class="stack-tight">
      <Filters
        clears={FILTERS}
        filters={[
          {
            kind: 'search',
            name: 'q',
            label: 'Search tasks',
            // Former addresses name a tag or an id.
            value: query.q ?? query.id ?? query.tag ?? '',
            toChanges: (q) => ({ q, id: undefined, tag: undefined }),
          },
          {
            kind: 'select',
            name: 'type',
            label: 'Type',
            options: [{ value: '', label: 'All types' }, ...types.map(toOption)],
          },
          {
            kind: 'select',
            name: 'agent_id',
            label: 'Agent',
            options: [{ value: '', label: 'All agents' }, ...agentOptions],
          },
          ageFilter(query),
        ]}
      >
        <Button kind="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Fewer filters' : 'More filters'}
        </Button>
        <ColumnMenu />
        <ViewMenu />
      </Filters>
      {isOpen && <Filters filters={MORE} />}
    </div>
  );
}

const MORE: readonly Filter[] = [
  { kind: 'text', name: 'error_code', label: 'Error code' },
  { kind: 'text', name: 'model', label: 'Model' },
  { kind: 'text', name: 'created_by', label: 'Created by' },
  { kind: 'number', name: 'min_duration_seconds', label: 'Seconds at least' },
  { kind: 'text', name: 'worker_id', label: 'Worker' },
  { kind: 'time', name: 'created_after', label: 'Created after' },
  { kind: 'time', name: 'created_before', label: 'Created before' },
  ORDER,
  {
    kind: 'select',
    name: 'limit',
    label: 'Rows',
    usual: '25',
    options: ['25', '50', '100'].map((value) => ({ value, label: `${value} rows` })),
  },
];

/** Chooses a beginning; any other times that are set are one more choice. */
function ageFilter(query: TaskFilter): Filter {
  const isSet = Boolean(query.created_after || query.created_before);
  return {
    kind: 'select',
    name: 'created',
    label: 'Created',
    value: isSet ? 'set' : '',
    options: [
      ...(isSet ? [{ value: 'set', label: describeTimes(query) }] : []),
      { value: '', label: 'Any time' },
      ...AGES,
    ],
    toChanges: (hours) => ({
      created_after: hours ? hoursAgo(Number(hours), Date.now()) : undefined,
      created_before: undefined,
    }),
  };
}

function describeTimes({ created_after: after, created_before: before }: TaskFilter): string {
  const show = (iso: string | undefined) => toLocalInput(iso).replace('T', ' ');
  if (after && before) return `${show(after)} to ${show(before)}`;
  return after ? `Since ${show(after)}` : `Before ${show(before)}`;
}
