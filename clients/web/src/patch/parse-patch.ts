import { fileOfGit, readHeader } from './file-header.ts';
import type { PatchFile, PatchLine } from './patch-file.ts';

interface Reader {
  files: PatchFile[];
  /** Whether the last file has a hunk: its header is over then. */
  hasHunk: boolean;
  /** So many lines of the file before and after has the hunk still: a removed `-- a` is not a header. */
  rest: { before: number; after: number };
  next: { before: number; after: number };
}

const HUNK = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/;
const KINDS: Record<string, 'added' | 'removed' | 'context'> = { '+': 'added', '-': 'removed', ' ': 'context' };

/** Reads a patch as git writes it; in any other text, too, each line is a line of a file, in the same order. */
export function parsePatch(text: string): PatchFile[] {
  const reader: Reader = {
    files: [],
    hasHunk: false,
    rest: { before: 0, after: 0 },
    next: { before: 0, after: 0 },
  };
  for (const line of text.replace(/\n$/, '').split('\n')) readLine(reader, line);
  return reader.files;
}

function readLine(reader: Reader, text: string): void {
  const file = fileFor(reader, text);
  const line = lineOfHunk(reader, text) ?? lineBetween(reader, file, text);
  file.lines.push(line);
  if (line.kind === 'added') file.added += 1;
  if (line.kind === 'removed') file.removed += 1;
}

/** The last file, or the one that begins with this line. */
function fileFor(reader: Reader, text: string): PatchFile {
  const { files, rest, hasHunk } = reader;
  const last = files.at(-1);
  const isInHunk = rest.before > 0 || rest.after > 0;
  const begins = text.startsWith('diff --git ') || (hasHunk && !isInHunk && text.startsWith('--- '));
  if (last && !begins) return last;
  const file = { path: fileOfGit(text), notes: [], added: 0, removed: 0, lines: [] };
  files.push(file);
  Object.assign(reader, { hasHunk: false, rest: { before: 0, after: 0 } });
  return file;
}

function lineOfHunk({ rest, next }: Reader, text: string): PatchLine | undefined {
  const kind = KINDS[text.charAt(0) || ' '];
  if (!kind || (kind !== 'added' && rest.before < 1) || (kind !== 'removed' && rest.after < 1)) return undefined;
  const line: PatchLine = { kind, text };
  if (kind !== 'added') {
    rest.before -= 1;
    line.before = next.before++;
  }
  if (kind !== 'removed') {
    rest.after -= 1;
    line.after = next.after++;
  }
  return line;
}

function lineBetween(reader: Reader, file: PatchFile, text: string): PatchLine {
  const hunk = HUNK.exec(text);
  if (!hunk) {
    if (!reader.hasHunk) readHeader(file, text);
    return { kind: 'header', text };
  }
  const [, before, beforeCount = 1, after, afterCount = 1] = hunk;
  reader.hasHunk = true;
  reader.next = { before: Number(before), after: Number(after) };
  reader.rest = { before: Number(beforeCount), after: Number(afterCount) };
  return { kind: 'hunk', text };
}
