import { useAddress } from '../frame/address.ts';
import { toInteger } from '../requests/path.ts';
import type { List } from './use-list.ts';

interface Listed<Row> {
  /** What is filtered for; in the address as `<name>_q`. */
  text: string;
  setText: (text: string) => void;
  /** The page that `<name>_skip` begins. */
  list: List<Row>;
  /** All that match. */
  total: number;
  pager: { limit: number; skipName: string; isAlwaysShown: boolean };
}

/** Filters and pages rows that are all here; undefined while they are on their way. */
export function useListed<Row>(
  name: string,
  all: readonly Row[] | undefined,
  limit: number,
  toText: (row: Row) => string,
): Listed<Row> {
  const { query, set } = useAddress();
  const [textName, skipName] = [`${name}_q`, `${name}_skip`];
  const text = query.get(textName) ?? '';
  const wanted = text.trim().toLowerCase();
  const matching = all?.filter((row) => toText(row).toLowerCase().includes(wanted));
  const skip = toInteger(query.get(skipName)) ?? 0;
  const total = matching?.length ?? 0;
  const data = matching && { rows: matching.slice(skip, skip + limit), total, next: undefined };
  return {
    text,
    setText: (value) => set({ [textName]: value, [skipName]: undefined }, true),
    list: { data, error: undefined, isStale: false, reload: () => {} },
    total,
    pager: { limit, skipName, isAlwaysShown: true },
  };
}
