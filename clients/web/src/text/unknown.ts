/** What workers report may be any JSON: each of these leaves out what has another type. */

export type Fields = Record<string, unknown>;

export function toFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

export function toList(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(toFields) : [];
}

/** Undefined for an empty text, too. */
export function toText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function toNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
