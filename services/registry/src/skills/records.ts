/** A record of a registry file before anything is known about it. */
export interface RawRecord {
  /** Counts from 0 in the order of the file. */
  index: number;
  /** Where the records of the file are an object keyed by slug. */
  key?: string;
  value: unknown;
  /** Longer or deeper than a record may be: `value` is undefined. */
  isTooLarge?: boolean;
  /** All its texts are known to be of printable ASCII: nothing needs to be cleaned but spaces. */
  isPlain?: boolean;
}
