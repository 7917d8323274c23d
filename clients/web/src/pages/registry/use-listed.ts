import { useAddress } from '../../frame/address.ts';

interface Listed<Row> {
  /** What is filtered for; in the address as `<name>_q`. */
  text: string;
  setText: (text: string) => void;
  /** The rows of this page. */
  rows: readonly Row[];
  /** All that match. */
  total: number;
  skip: number;
  hrefOf: (skip: number) => string;
}

/** Filters and pages rows that are all here. What is shown is in the address. */
export function useListed<Row>(
  name: string,
  all: readonly Row[],
  limit: number,
  toText: (row: Row) => string,
): Listed<Row> {
  const { query, set, hrefOf } = useAddress();
  const [textName, skipName] = [`${name}_q`, `${name}_skip`];
  const text = query.get(textName) ?? '';
  const wanted = text.trim().toLowerCase();
  const matching = wanted ? all.filter((row) => toText(row).toLowerCase().includes(wanted)) : all;
  const asked = Number(query.get(skipName));
  const skip = Number.isInteger(asked) && asked > 0 && asked < matching.length ? asked : 0;
  return {
    text,
    setText: (value) => set({ [textName]: value, [skipName]: undefined }, true),
    rows: matching.slice(skip, skip + limit),
    total: matching.length,
    skip,
    hrefOf: (at) => hrefOf({ [skipName]: at > 0 ? String(at) : undefined }),
  };
}
