/** A worker polls, as far as others are told, for this time after it has requested tasks. */
export const POLLING_MS = 60_000;
