export type JsonObject = Record<string, unknown>;

const MAX_DETAIL = 500;

/** An empty object for what is none. */
export function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

/** The objects of an array; empty for what is none. */
export const objectsOf = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.map(objectOf) : []);

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A whole number of at least 0. */
export function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.max(0, Math.trunc(value)) : 0;
}

/** The first text of the object under one of the keys, else the object as JSON; 500 characters. For people. */
export function detailOf(object: JsonObject, keys: readonly string[]): string {
  const text = keys.map((key) => textOf(object[key])).find((found) => found !== '') ?? JSON.stringify(object);
  return text.slice(0, MAX_DETAIL);
}
