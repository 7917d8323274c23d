import { safeLine } from '../text/safe-text.ts';

export interface Mismatch {
  /** Index in the text. */
  at: number;
  message: string;
}

type Opening = '{' | '[';

interface Reader {
  text: string;
  at: number;
  /** Brackets that are open. */
  open: Opening[];
}

class MismatchError extends Error {}

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y;
const LITERAL = /(?:true|false|null)(?!\w)/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
const WORD = /[\p{L}\p{N}_$.+-]{1,20}|./suy;
const CLOSING = { '{': '}', '[': ']' };

const HINTS: Record<string, string> = {
  "'": 'Strings have double quotes.',
  '/': 'JSON has no comments.',
  '#': 'JSON has no comments.',
  None: 'Write null.',
  True: 'Write true.',
  False: 'Write false.',
  undefined: 'Write null.',
  NaN: 'Write null.',
};

/** Where a text ceases to be JSON; undefined for JSON. Without recursion, as a text can nest deeply. */
export function findMismatch(text: string): Mismatch | undefined {
  const reader: Reader = { text, at: 0, open: [] };
  try {
    do readValue(reader);
    while (isFollowed(reader));
    return undefined;
  } catch (error) {
    if (!(error instanceof MismatchError)) throw error;
    return { at: reader.at, message: error.message };
  }
}

/** Reads a value without others in it, with all keys and brackets that open before it. */
function readValue(reader: Reader): void {
  for (;;) {
    if (reader.open.at(-1) === '{') readKey(reader);
    const character = peek(reader);
    if (character !== '{' && character !== '[') {
      readScalar(reader);
      return;
    }
    reader.at += 1;
    if (peek(reader) === CLOSING[character]) {
      reader.at += 1;
      return;
    }
    reader.open.push(character);
  }
}

/** Reads what stands behind a value: whether another one has to follow. */
function isFollowed(reader: Reader): boolean {
  for (;;) {
    const opening = reader.open.at(-1);
    const character = peek(reader);
    if (opening === undefined) {
      if (reader.at < reader.text.length) fail(reader, 'the end of the text');
      return false;
    }
    const closing = CLOSING[opening];
    if (character !== ',' && character !== closing) fail(reader, `"," or "${closing}"`);
    reader.at += 1;
    if (character === ',') {
      if (peek(reader) === closing) fail(reader, opening === '{' ? 'a key after the comma' : 'a value after the comma');
      return true;
    }
    reader.open.pop();
  }
}

function readKey(reader: Reader): void {
  if (peek(reader) !== '"') fail(reader, 'a key in double quotes');
  readString(reader);
  if (peek(reader) !== ':') fail(reader, '":" after the key');
  reader.at += 1;
}

function readScalar(reader: Reader): void {
  if (reader.text[reader.at] === '"') readString(reader);
  else if (!skip(reader, NUMBER) && !skip(reader, LITERAL)) fail(reader, 'a value');
}

function readString(reader: Reader): void {
  reader.at += 1;
  for (;;) {
    const code = reader.text.charCodeAt(reader.at);
    if (code === 0x22) break;
    if (code === 0x5c) {
      if (!skip(reader, ESCAPE)) fail(reader, 'an escape such as \\n, \\" or \\u0041');
    } else if (code >= 0x20) reader.at += 1;
    else fail(reader, code === 0x0a ? 'a closing quote in this line' : 'a closing quote');
  }
  reader.at += 1;
}

/** The next character that is no space. */
function peek(reader: Reader): string | undefined {
  skip(reader, SPACE);
  return reader.text[reader.at];
}

function skip(reader: Reader, pattern: RegExp): boolean {
  pattern.lastIndex = reader.at;
  if (!pattern.test(reader.text)) return false;
  reader.at = pattern.lastIndex;
  return true;
}

function fail(reader: Reader, expected: string): never {
  WORD.lastIndex = reader.at;
  const found = WORD.exec(reader.text)?.[0];
  const hint = found === undefined ? undefined : HINTS[found];
  const shown = found === undefined ? 'the end of the text' : found === '\n' ? 'a new line' : safeLine(found);
  throw new MismatchError(`Expected ${expected}, found ${shown}.${hint ? ` ${hint}` : ''}`);
}
