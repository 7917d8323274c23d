import type { PatchFile } from './patch-file.ts';

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
export function fileOfGit(line: string): string {
  if (!line.startsWith(GIT)) return '';
  // By its middle: a pattern would try every blank of a long line.
  const middle = (GIT.length + line.length - 1) / 2;
  const path = withoutSide(line.slice(GIT.length, middle));
  return path === withoutSide(line.slice(middle + 1)) ? path : '';
}

/** Notes what a line of a file's header says. */
export function readHeader(file: PatchFile, line: string): void {
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
