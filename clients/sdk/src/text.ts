const SPACE = /[ \t\n\r]*/y;
/** A text without its end. */
const TEXT = /"(?:[ !#-[\]-\uffff]+|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const MARKS = '{}[],:';
/** The tokens that begin a value; `v` is a scalar. */
const VALUE = '"v{[';
const AFTER: Record<string, string> = { '{': ',}', '[': ',]' };

/** Where a text stops being JSON (RFC 8259), such as `line 3, column 14`; columns count UTF-16 code units. */
export function whereNotJson(text: string): string {
  const open: string[] = [];
  for (let at = 0, allowed = VALUE; ; ) {
    if (text.charCodeAt(at) <= 0x20) at = endOf(SPACE, text, at) ?? at;
    const first = text[at] ?? '';
    const kind = first === '"' || MARKS.includes(first) ? first : 'v';
    const end = kind === 'v' ? endOf(SCALAR, text, at) : kind === '"' ? endOf(TEXT, text, at) : at + 1;
    if (first === '' || end === undefined || !allowed.includes(kind)) return placeAfter(text.slice(0, at));
    if (kind === '"' && text[end] !== '"') return placeAfter(text.slice(0, end));
    at = kind === '"' ? end + 1 : end;
    if (kind === '{' || kind === '[') open.push(kind);
    const isObject = open.at(-1) === '{';
    if (kind === '{') allowed = '"}';
    else if (kind === '[') allowed = `${VALUE}]`;
    else if (kind === ',') allowed = isObject ? '"' : VALUE;
    else if (kind === ':') allowed = VALUE;
    // Where a name is expected, a number is not.
    else if (kind === '"' && !allowed.includes('v')) allowed = ':';
    else {
      if (kind === '}' || kind === ']') open.pop();
      allowed = AFTER[open.at(-1) ?? ''] ?? '';
    }
  }
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** UTF-8 without its byte order mark. @throws TypeError: that it is `not UTF-8 at line 1, column 1` */
export function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    const [first, second] = bytes;
    const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
    const hint = isUtf16 ? ': it looks like UTF-16' : '';
    throw new TypeError(`not UTF-8 at ${whereNotUtf8(bytes)}${hint}`, { cause });
  }
}

function whereNotUtf8(bytes: Uint8Array): string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const repaired = new TextEncoder().encode(decoder.decode(bytes));
  let at = 0;
  while (at < bytes.length && bytes[at] === repaired[at]) at++;
  return placeAfter(decoder.decode(bytes.subarray(0, at), { stream: true }));
}

function placeAfter(text: string): string {
  const lines = text.split('\n');
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
}
