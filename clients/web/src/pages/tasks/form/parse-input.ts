import { parseJson } from '../../../json/json-error.ts';

export type ParsedInput = { value?: unknown } | { error: string };

/** Parses the input of a task; an empty text is no input. */
export function parseInput(text: string): ParsedInput {
  if (text.trim() === '') return {};
  const parsed = parseJson(text);
  if ('value' in parsed) return parsed;
  const { line, column, message } = parsed.error;
  return { error: `This is not JSON. Line ${line}, column ${column}: ${message}` };
}
