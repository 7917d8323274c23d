export type JsonSource = { value: unknown } | { text: string };

export interface JsonContent {
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
