import { useState } from 'preact/hooks';
import type { AgentName } from '../../agents/agent-names.ts';
import { Button } from '../../components/button.tsx';
import { type Option, SelectField } from '../../components/field.tsx';
import type { Address } from '../../frame/address.ts';
import { FILTERS, type TaskFilter, type TaskQuery } from '../../requests/tasks.ts';
import { toLocalInput } from '../../text/local-time.ts';
import { safeLine } from '../../text/safe-text.ts';
import { TextFilter, TimeFilter } from './filter-fields.tsx';
import { AGES, hoursAgo, toSearch } from './filter-values.ts';

interface TaskFiltersProps {
  address: Address;
  query: TaskQuery;
  types: readonly string[];
  agents: readonly AgentName[];
}

/** All filters but the status. A change begins again with the first page. */
export function TaskFilters({ address, query, types, agents }: TaskFiltersProps) {
  const isDetailed = Boolean(query.worker_id || query.created_before || query.order === 'asc');
  const [isOpen, setOpen] = useState(isDetailed);
  const set = (changes: Record<string, string | undefined>) => address.set({ ...changes, skip: undefined });
  const isFiltered = FILTERS.some((name) => query[name]);
  return (
    <div class="stack-tight">
      <div class="task-filters">
        <TextFilter
          label="Tag or task id"
          value={query.id ?? query.tag}
          onChange={(text) => set(toSearch(text))}
          isSearch
        />
        <SelectField
          label="Type"
          isLabelHidden
          value={query.type ?? ''}
          options={withOther([{ value: '', label: 'All types' }, ...types.map(toOption)], query.type)}
          onChange={(type) => set({ type })}
        />
        <SelectField
          label="Agent"
          isLabelHidden
          value={query.agent_id ?? ''}
          options={withOther([{ value: '', label: 'All agents' }, ...agents.map(toAgentOption)], query.agent_id)}
          onChange={(agent_id) => set({ agent_id })}
        />
        <AgeFilter query={query} set={set} />
        <Button kind="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Fewer filters' : 'More filters'}
        </Button>
        {isFiltered && (
          <Button kind="quiet" onClick={() => set(Object.fromEntries(FILTERS.map((name) => [name, undefined])))}>
            Clear filters
          </Button>
        )}
      </div>
      {isOpen && <MoreFilters query={query} set={set} />}
    </div>
  );
}

interface FilterProps {
  query: TaskQuery;
  set: (changes: Record<string, string | undefined>) => void;
}

function AgeFilter({ query, set }: FilterProps) {
  const { created_after: after, created_before: before } = query;
  const isSet = Boolean(after || before);
  const options = [{ value: '', label: 'Any time' }, ...AGES];
  const choose = (hours: string) =>
    set({ created_after: hours ? hoursAgo(Number(hours), Date.now()) : undefined, created_before: undefined });
  return (
    <SelectField
      label="Created"
      isLabelHidden
      value={isSet ? 'set' : ''}
      options={isSet ? [{ value: 'set', label: describeTimes(query) }, ...options] : options}
      onChange={choose}
    />
  );
}

function MoreFilters({ query, set }: FilterProps) {
  return (
    <div class="task-filters">
      <TextFilter label="Worker" value={query.worker_id} onChange={(worker_id) => set({ worker_id })} />
      <TimeFilter label="Created after" value={query.created_after} onChange={(time) => set({ created_after: time })} />
      <TimeFilter
        label="Created before"
        value={query.created_before}
        onChange={(time) => set({ created_before: time })}
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
      <SelectField
        label="Rows"
        isLabelHidden
        value={String(query.limit)}
        options={withOther(
          [25, 50, 100].map((rows) => ({ value: String(rows), label: `${rows} rows` })),
          String(query.limit),
        )}
        onChange={(limit) => set({ limit })}
      />
    </div>
  );
}

function toOption(value: string): Option {
  return { value, label: safeLine(value) };
}

function toAgentOption({ id, name }: AgentName): Option {
  return { value: id, label: safeLine(name) };
}

/** A value of the address need not be one of the options. */
function withOther(options: Option[], value: string | undefined): Option[] {
  return !value || options.some((option) => option.value === value) ? options : [...options, toOption(value)];
}

function describeTimes({ created_after: after, created_before: before }: TaskFilter): string {
  const show = (iso: string | undefined) => toLocalInput(iso).replace('T', ' ');
  if (after && before) return `${show(after)} to ${show(before)}`;
  return after ? `Since ${show(after)}` : `Before ${show(before)}`;
}
