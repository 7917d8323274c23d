import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { type Option, SelectField, TextField } from '../components/field.tsx';
import { Tabs } from '../components/tabs.tsx';
import { useAddress } from '../frame/address.ts';
import { capital } from '../text/pieces.ts';
import { safeLine } from '../text/safe-text.ts';
import { statusWord } from '../text/statuses.ts';
import { fromLocalInput, toLocalInput } from '../text/times.ts';
import { useTyped } from '../text/use-typed.ts';
import type { StatusCounts } from './status-counts.ts';

type Changes = Record<string, string | undefined>;

export interface Filter {
  /** A search is made as one types. A text counts when its field is left, or with Enter. */
  kind: 'select' | 'text' | 'search' | 'number' | 'time';
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
  const change = (changes: Changes, isReplacing?: boolean) =>
    set({ ...changes, skip: undefined, after: undefined }, isReplacing);
  return (
    <div class="row filters">
      {filters.map((filter) => {
        const { name, usual = '', toChanges = (value) => ({ [name]: value === usual ? undefined : value }) } = filter;
        const value = filter.value ?? query.get(name) ?? usual;
        const onChange: FieldProps['onChange'] = (next, isReplacing) => change(toChanges(next), isReplacing);
        return <Field key={name} filter={filter} value={value} onChange={onChange} />;
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
  onChange: (value: string, isReplacing?: boolean) => void;
}

function Field({ filter, value, onChange }: FieldProps) {
  const { kind, label, options = [] } = filter;
  if (kind !== 'select' && kind !== 'time') return <TextFilter {...{ filter, value, onChange }} />;
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

/** Slower than one types. */
const SEARCH_DELAY_MS = 250;

/** The first change after the field has got the focus is an entry of the history, further ones replace it. */
function TextFilter({ filter: { kind, label, isSearch }, value, onChange }: FieldProps) {
  const isLive = kind === 'search';
  const isChanged = useRef(false);
  const change = (next: string) => {
    onChange(next, isChanged.current);
    isChanged.current = true;
  };
  const { text, type, send } = useTyped(value, change, value, isLive ? SEARCH_DELAY_MS : undefined);
  return (
    <form
      class={isLive || isSearch ? 'filter-text' : 'filter-value'}
      onSubmit={(event) => {
        event.preventDefault();
        send(text);
      }}
      onFocusIn={() => {
        isChanged.current = false;
      }}
      onFocusOut={() => send(text)}
    >
      <TextField
        label={label}
        isLabelHidden
        type={kind === 'number' ? 'number' : 'search'}
        placeholder={label}
        autocomplete="off"
        maxLength={200}
        value={text}
        onInput={type}
        isSearch={isLive || isSearch}
      />
    </form>
  );
}

interface StatusTabsProps<Status extends string> {
  statuses: readonly Status[];
  /** Undefined while they are on their way. */
  counts: StatusCounts<Status> | undefined;
}

/** The records of each status, with their numbers. */
export function StatusTabs<Status extends string>({ statuses, counts }: StatusTabsProps<Status>) {
  const { query, hrefOf } = useAddress();
  const tabOf = (label: string, status: string | undefined, total: number | null = null) => ({
    label,
    href: hrefOf({ status, skip: undefined, after: undefined }),
    isCurrent: (query.get('status') ?? undefined) === status,
    total,
    isLeast: counts?.isLeast,
  });
  const tabs = statuses.map((status) => tabOf(capital(statusWord(status)), status, counts?.by_status[status]));
  return <Tabs label="Status" tabs={[tabOf('All', undefined, counts?.total), ...tabs]} />;
}
