import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { type Option, SelectField, TextField } from '../components/field.tsx';
import { Tabs } from '../components/tabs.tsx';
import { useAddress } from '../frame/address.ts';
import { capital } from '../text/pieces.ts';
import { safeLine } from '../text/safe-text.ts';
import { fromLocalInput, toLocalInput } from '../text/times.ts';

type Changes = Record<string, string | undefined>;

export interface Filter {
  kind: 'select' | 'text' | 'time';
  /** The parameter of the address. */
  name: string;
  label: string;
  /** Of a select. A value of the address that is not among them is added. */
  options?: readonly Option[];
  /** The value that the address leaves out. */
  usual?: string;
  /** Where it is not that of the parameter. */
  value?: string;
  /** What a value changes, where that is not the parameter. */
  toChanges?: (value: string) => Changes;
  /** The key `/` goes to it. */
  isSearch?: boolean;
}

export const ORDER: Filter = {
  kind: 'select',
  name: 'order',
  label: 'Order',
  usual: 'desc',
  options: [
    { value: 'desc', label: 'Newest first' },
    { value: 'asc', label: 'Oldest first' },
  ],
};

interface FiltersProps {
  filters: readonly Filter[];
  /** The parameters that "Clear filters" removes. */
  clears?: readonly string[];
  children?: ComponentChildren;
}

/** Filters of a list, which the address keeps. A change begins again with the first page. */
export function Filters({ filters, clears = [], children }: FiltersProps) {
  const { query, set } = useAddress();
  const change = (changes: Changes) => set({ ...changes, skip: undefined, after: undefined });
  return (
    <div class="row filters">
      {filters.map((filter) => {
        const { name, usual = '', toChanges = (value) => ({ [name]: value === usual ? undefined : value }) } = filter;
        const value = filter.value ?? query.get(name) ?? usual;
        return <Field key={name} filter={filter} value={value} onChange={(next) => change(toChanges(next))} />;
      })}
      {children}
      {clears.some((name) => query.get(name)) && (
        <Button kind="quiet" onClick={() => change(Object.fromEntries(clears.map((name) => [name, undefined])))}>
          Clear filters
        </Button>
      )}
    </div>
  );
}

interface FieldProps {
  filter: Filter;
  value: string;
  onChange: (value: string) => void;
}

function Field({ filter: { kind, label, options = [], isSearch }, value, onChange }: FieldProps) {
  if (kind === 'text') return <TextFilter {...{ label, value, onChange, isSearch }} />;
  if (kind === 'time') {
    return (
      <label class="row filter-time">
        <span class="small muted nowrap">{label}</span>
        <input
          class="input"
          type="datetime-local"
          value={toLocalInput(value)}
          onChange={(event) => onChange(fromLocalInput(event.currentTarget.value) ?? '')}
        />
      </label>
    );
  }
  const isListed = options.some((option) => option.value === value);
  const all = isListed ? options : [...options, { value, label: safeLine(value) }];
  return <SelectField label={label} isLabelHidden value={value} options={all} onInput={onChange} />;
}

/** Values must be exact, so they count when the field is left, or with Enter. */
function TextFilter({
  label,
  value,
  onChange,
  isSearch,
}: Omit<FieldProps, 'filter'> & Pick<Filter, 'label' | 'isSearch'>) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const commit = () => text.trim() !== value && onChange(text.trim());
  return (
    <form
      class="filter-text"
      onSubmit={(event) => {
        event.preventDefault();
        commit();
      }}
      onFocusOut={commit}
    >
      <TextField
        label={label}
        isLabelHidden
        type="search"
        placeholder={label}
        autocomplete="off"
        value={text}
        onInput={setText}
        isSearch={isSearch}
      />
    </form>
  );
}

interface StatusTabsProps<Status extends string> {
  statuses: readonly Status[];
  /** Undefined while they are on their way, or another filter is set. */
  counts: { total: number; by_status: Record<Status, number> } | undefined;
}

/** The records of each status, with their numbers. */
export function StatusTabs<Status extends string>({ statuses, counts }: StatusTabsProps<Status>) {
  const { query, hrefOf } = useAddress();
  const tabOf = (label: string, status: string | undefined, total: number | null = null) => ({
    label,
    href: hrefOf({ status, skip: undefined, after: undefined }),
    isCurrent: (query.get('status') ?? undefined) === status,
    total,
  });
  const tabs = statuses.map((status) => tabOf(capital(status), status, counts?.by_status[status]));
  return <Tabs label="Status" tabs={[tabOf('All', undefined, counts?.total), ...tabs]} />;
}
