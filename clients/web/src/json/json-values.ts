import { isLeaf } from '../api/exact-json.ts';

export type Container = readonly unknown[] | Readonly<Record<string, unknown>>;

/** JSON as people edit it, or a string as it is. Null when it nests too deeply to be written. */
export function formatJson(value: unknown): string | null {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value, null, 2) ?? 'null';
  } catch {
    return null;
  }
}

export function hasEntries(value: unknown): value is Container {
  return !isLeaf(value) && sizeOf(value as Container) > 0;
}

export function sizeOf(container: Container): number {
  return Array.isArray(container) ? container.length : Object.keys(container).length;
}

/** The first entries of a container; the keys of an array are its indexes. */
export function entriesOf(container: Container, limit: number): [key: string | number, value: unknown][] {
  if (Array.isArray(container)) return container.slice(0, limit).map((value, index) => [index, value]);
  const object = container as Readonly<Record<string, unknown>>;
  return Object.keys(object)
    .slice(0, limit)
    .map((key) => [key, object[key]]);
}
