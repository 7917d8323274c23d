import { LosslessNumber, parse, stringify } from 'lossless-json';
import type { JsonFormat } from './options.ts';

export { isLosslessNumber } from 'lossless-json';

/** @throws SyntaxError */
function parseExact(text: string): unknown {
  JSON.parse(text);
  return parse(text, undefined, { parseNumber: toNumber, onDuplicateKey: ({ newValue }) => newValue });
}

/**
 * JSON that keeps numbers as they are written. A number that JavaScript would change, such as 12345678901234567890,
 * 1.0 or -0, is a `LosslessNumber` of lossless-json: `Number` and `String` convert it.
 */
export const exactJson = {
  parse: parseExact,
  stringify: (value: unknown, indent?: number) => stringify(value, undefined, indent) as string,
} satisfies JsonFormat;

/** The same value with numbers of JavaScript only. */
export function toPlain(value: unknown): unknown {
  return JSON.parse(exactJson.stringify(value));
}

function toNumber(text: string): number | LosslessNumber {
  const value = Number(text);
  return String(value) === text ? value : new LosslessNumber(text);
}
