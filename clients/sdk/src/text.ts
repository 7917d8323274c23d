import { parse } from 'lossless-json';

/** Where a text stops being JSON (RFC 8259), such as `line 3, column 14`; columns count UTF-16 code units. */
export function whereNotJson(text: string): string {
  try {
    parse(text, undefined, { onDuplicateKey: ({ newValue }) => newValue });
  } catch (error) {
    const [, at] = / at position (\d+)$/.exec((error as Error).message) ?? [];
    if (at !== undefined) return placeAfter(text.slice(0, Number(at)));
  }
  return placeAfter(text);
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
