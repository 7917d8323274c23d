export type JsonSource = { value: unknown } | { text: string };

interface JsonContent {
  value: unknown;
  /** As it is copied; null for a value that nests too deeply to be written. */
  text: string | null;
}

/** Reads what is to be shown. A text that is no JSON is a string. */
export function readJson(source: JsonSource): JsonContent {
  if ('value' in source) return { value: source.value, text: formatJson(source.value) };
  try {
    return { value: JSON.parse(source.text), text: source.text };
  } catch {
    return { value: source.text, text: source.text };
  }
}

/** JSON as people edit it; strings as they are only inside of it. Null when it nests too deeply. */
function formatJson(value: unknown): string | null {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value, null, 2) ?? 'null';
  } catch {
    return null;
  }
}

export type Container = readonly unknown[] | Readonly<Record<string, unknown>>;

const MAX_PREVIEW_ENTRIES = 5;
const MAX_PREVIEW_CHARACTERS = 80;

export function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
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

/** What a closed container holds, in one line: `{ id: 1, tags: […], … }`. Not yet safe to show. */
export function preview(container: Container): string {
  const isArray = Array.isArray(container);
  const [opening, closing] = isArray ? '[]' : '{}';
  const size = sizeOf(container);
  if (size === 0) return `${opening}${closing}`;
  const parts = entriesOf(container, MAX_PREVIEW_ENTRIES).map(([key, value]) =>
    isArray ? previewValue(value) : `${shorten(String(key))}: ${previewValue(value)}`,
  );
  let text = '';
  let used = 0;
  while (used < parts.length && text.length < MAX_PREVIEW_CHARACTERS) {
    text += `${used > 0 ? ', ' : ''}${parts[used]}`;
    used += 1;
  }
  return `${opening} ${text}${used < size ? ', …' : ''} ${closing}`;
}

function previewValue(value: unknown): string {
  if (Array.isArray(value)) return value.length > 0 ? '[…]' : '[]';
  if (isContainer(value)) return sizeOf(value) > 0 ? '{…}' : '{}';
  return typeof value === 'string' ? `"${shorten(value)}"` : String(value);
}

function shorten(text: string): string {
  const start = text.slice(0, 24);
  return start.length < text.length ? `${start}…` : start;
}
