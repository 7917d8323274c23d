/** The number of an event; its stream id is `<number>-0`. */
export function numberOf(streamId: string): number {
  return Number.parseInt(streamId, 10);
}

/** Converts the fields of a stream entry from Redis' list of names and values. */
export function toFields(list: readonly string[]): Record<string, string> {
  const fields: Record<string, string> = {};
  for (let at = 0; at < list.length; at += 2) fields[list[at] as string] = list[at + 1] as string;
  return fields;
}
