import { useState } from 'preact/hooks';
import { Button } from '../../../components/button.tsx';
import { SelectField, TextField } from '../../../components/field.tsx';
import type { Address } from '../../../frame/address.ts';
import { safeLine } from '../../../text/safe-text.ts';
import { FAMILIES } from './audit-event.ts';
import type { AuditFilter } from './audit-query.ts';

interface AuditFiltersProps {
  filter: AuditFilter;
  address: Address;
}

/** Texts must match as a whole, so they apply with Enter. */
export function AuditFilters({ filter, address }: AuditFiltersProps) {
  const [actor, setActor] = useState(filter.actor ?? '');
  const [target, setTarget] = useState(filter.target ?? '');
  const { action = '' } = filter;
  const isListed = action === '' || FAMILIES.some(({ value }) => value === action);
  const set = (changes: AuditFilter) => address.set({ ...changes, after: undefined });
  const isChanged = actor !== (filter.actor ?? '') || target !== (filter.target ?? '');

  function submit(event: Event): void {
    event.preventDefault();
    set({ actor: actor.trim(), target: target.trim() });
  }

  return (
    <form class="access-filters" onSubmit={submit}>
      <SelectField
        label="Action"
        isLabelHidden
        value={action}
        options={[
          { value: '', label: 'All actions' },
          ...FAMILIES,
          ...(isListed ? [] : [{ value: action, label: safeLine(action) }]),
        ]}
        onChange={(value) => set({ action: value })}
      />
      <TextField
        label="Actor"
        isLabelHidden
        type="search"
        isSearch
        placeholder="Actor: e-mail, name or id"
        value={actor}
        onInput={setActor}
      />
      <TextField
        label="Target"
        isLabelHidden
        type="search"
        placeholder="Target: id"
        value={target}
        onInput={setTarget}
      />
      {isChanged && <Button type="submit">Filter</Button>}
      {!isChanged && Object.keys(filter).length > 0 && (
        <Button kind="quiet" onClick={() => set({ actor: '', action: '', target: '' })}>
          Clear
        </Button>
      )}
    </form>
  );
}
