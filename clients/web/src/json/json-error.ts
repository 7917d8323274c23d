import { findMismatch } from './json-reader.ts';

interface JsonError {
  /** Both count from 1; columns in characters. */
  line: number;
  column: number;
  /** What was expected there, and what was found. */
  message: string;
}

export type ParsedJson = { value: unknown } | { error: JsonError };

/** Parses what a person has typed, and says in words where it ceases to be JSON and why. */
export function parseJson(text: string): ParsedJson {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    const { at, message } = findMismatch(text) ?? { at: 0, message: String(error) };
    const before = text.slice(0, at);
    const lineStart = before.lastIndexOf('\n') + 1;
    const column = [...before.slice(lineStart)].length + 1;
    return { error: { line: before.split('\n').length, column, message } };
  }
}
