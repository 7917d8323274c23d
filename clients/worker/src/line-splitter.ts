import { StringDecoder } from 'node:string_decoder';

/** A line without an end is passed on when it has so many characters. */
const MAX_LINE = 16_384;

/** Calls `onLine` with each line of UTF-8 text in pieces, without its end. */
export function createLineSplitter(onLine: (line: string) => void) {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  return {
    add(chunk: Buffer): void {
      const lines = (rest + decoder.write(chunk)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
      if (rest.length < MAX_LINE) return;
      onLine(rest);
      rest = '';
    },
    /** Passes on a last line that has no end. */
    end(): void {
      rest += decoder.end();
      if (rest !== '') onLine(rest);
      rest = '';
    },
  };
}
