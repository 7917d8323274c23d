import { beginning } from './pieces.ts';
import { safeLine } from './safe-text.ts';

/** The beginning of a text from elsewhere, on one line. */
export function short(text: string, maxCharacters: number): string {
  const part = beginning(text, maxCharacters);
  return safeLine(part.length < text.length ? `${part.trimEnd()}…` : part);
}
