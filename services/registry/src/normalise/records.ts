/** A record of a registry file. */
export interface RawRecord {
  /** Counts from 0 in the order of the file. */
  index: number;
  /** Set if the file is an object keyed by slug. */
  key?: string;
  value: unknown;
  /** Too long or too deep; then `value` is undefined. */
  isTooLarge?: boolean;
  /** All texts are printable ASCII: only spaces need to be cleaned. */
  isPlain?: boolean;
}
