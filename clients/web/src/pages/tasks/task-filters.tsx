import { useState } from 'preact/hooks';
import type { AgentName } from '../../agents/agent-names.ts';
import { Button } from '../../components/button.tsx';
import { toOption } from '../../components/field.tsx';
import { type Filter, Filters, ORDER } from '../../list/filters.tsx';
import { FILTERS, type TaskFilter, type TaskQuery } from '../../requests/tasks.ts';
import { safeLine } from '../../text/safe-text.ts';
import { toLocalInput } from '../../text/times.ts';
import { AGES, hoursAgo, toSearch } from './filter-values.ts';

interface TaskFiltersProps {
  query: TaskQuery;
  types: readonly string[];
  agents: readonly AgentName[];
}

/** All filters but the status. */
export function TaskFilters({ query, types, agents }: TaskFiltersProps) {
  const [isOpen, setOpen] = useState(Boolean(query.worker_id || query.created_before || query.order === 'asc'));
  const agentOptions = agents.map(({ id, name }) => ({ value: id, label: safeLine(name) }));
  return (
    <div class="stack-tight">
      <Filters
        clears={FILTERS}
        filters={[
          {
            kind: 'text',
            name: 'tag',
            label: 'Tag or task id',
            value: query.id ?? query.tag ?? '',
            toChanges: toSearch,
            isSearch: true,
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
      </Filters>
      {isOpen && <Filters filters={MORE} />}
    </div>
  );
}

const MORE: readonly Filter[] = [
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
