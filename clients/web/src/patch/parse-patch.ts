export interface PatchLine {
  /** Headers are also lines that have no meaning in a patch. */
  kind: 'header' | 'hunk' | 'context' | 'added' | 'removed';
  /** As it is in the patch, with its mark. */
  text: string;
  /** Its number in the file before the change, and after it. */
  before?: number;
  after?: number;
}

/** What a patch does with one file. Its texts are not yet safe to show. */
export interface PatchFile {
  /** After the change; empty where the patch does not say. */
  path: string;
  /** Such as "new" or "renamed from a.ts"; none for a file whose lines change. */
  notes: string[];
  added: number;
  removed: number;
  lines: PatchLine[];
}

/** A line, or two beside each other: before the change and after it. */
export type PatchRow = [PatchLine] | [PatchLine | undefined, PatchLine | undefined];

/** Side by side: what was removed stands beside what came in its place. */
export function toPairs(lines: readonly PatchLine[]): PatchRow[] {
  const rows: PatchRow[] = [];
  let open: PatchRow[] = [];
  for (const line of lines) {
    const row = line.kind === 'added' ? open.shift() : undefined;
    if (row) row[1] = line;
    else if (line.kind === 'removed') open.push(rows[rows.push([line, undefined]) - 1] as PatchRow);
    else if (line.kind === 'added') rows.push([undefined, line]);
    else {
      open = [];
      rows.push(line.kind === 'context' ? [line, line] : [line]);
    }
  }
  return rows;
}

/** Without the header that git writes for programs, where the path and the notes say the same. */
export function shownLines({ path, lines }: PatchFile): PatchLine[] {
  const hunk = lines.findIndex(({ kind }) => kind === 'hunk');
  return path === '' ? lines : lines.slice(hunk < 0 ? lines.length : hunk);
}

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

const GIT = 'diff --git ';
const HEADER = /^(---|\+\+\+|(?:rename|copy) (?:from|to)|new file|deleted file|new mode|Binary files|GIT binary) ?(.*)/;
/** Git writes at most four: more are not its own. */
const MAX_NOTES = 4;
const NOTES: Record<string, (value: string) => string> = {
  'new file': () => 'new',
  'deleted file': () => 'deleted',
  'Binary files': () => 'binary',
  'GIT binary': () => 'binary',
  'new mode': (value) => `mode ${value}`,
  'rename from': (value) => `renamed from ${unquote(value)}`,
  'copy from': (value) => `copied from ${unquote(value)}`,
};

/** The path in `diff --git a/x b/x`; empty where the two differ: other lines of the header say it then. */
function fileOfGit(line: string): string {
  if (!line.startsWith(GIT)) return '';
  // By its middle: a pattern would try every blank of a long line.
  const middle = (GIT.length + line.length - 1) / 2;
  const path = withoutSide(line.slice(GIT.length, middle));
  return path === withoutSide(line.slice(middle + 1)) ? path : '';
}

/** Notes what a line of a file's header says. */
function readHeader(file: PatchFile, line: string): void {
  const [, name = '', value = ''] = HEADER.exec(line) ?? [];
  const note = NOTES[name]?.(value);
  if (note && file.notes.length < MAX_NOTES) file.notes.push(note);
  if (name.endsWith(' to')) file.path = unquote(value);
  // A file that is new or deleted has `/dev/null` on one side.
  if (/^[-+]/.test(name) && value !== '/dev/null') file.path = withoutSide(value.split('\t')[0] ?? '');
}

/** `x` of `a/x`, the file before a change, or `b/x`, the one after it. */
function withoutSide(text: string): string {
  return unquote(text).replace(/^[ab]\//, '');
}

const ESCAPES: Record<string, string> = { a: '\x07', b: '\b', t: '\t', n: '\n', v: '\v', f: '\f', r: '\r' };

/** Names with unusual characters are in quotes, with the escapes of C; the bytes of UTF-8 are octal numbers. */
function unquote(text: string): string {
  if (!/^".*"$/.test(text)) return text;
  return text.slice(1, -1).replace(/((?:\\[0-3][0-7]{2})+)|\\(.)/g, (_, bytes: string | undefined, escaped: string) => {
    if (bytes === undefined) return ESCAPES[escaped] ?? escaped;
    return new TextDecoder().decode(Uint8Array.from(bytes.slice(1).split('\\'), (byte) => Number.parseInt(byte, 8)));
  });
}
