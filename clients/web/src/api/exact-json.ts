import type { JsonFormat } from '@agent-fleet/sdk';

declare global {
  // https://tc39.es/proposal-json-parse-with-source/
  interface JSON {
    rawJSON?(text: string): object;
    isRawJSON?(value: unknown): boolean;
    parse(text: string, reviver: (key: string, value: unknown, context?: { source?: string }) => unknown): unknown;
  }
}

/** Where JSON may have a number that JavaScript writes differently: the others are parsed without a reviver. */
const UNUSUAL = /[:,[\s](?:-0[,\]}\s]|-?(?:\d+(?:\.\d*)?[eE]|\d+\.\d*0[,\]}\s]|0\.0{6}|[\d.]{16}))/;

/**
 * JSON whose numbers keep the way they are written, in browsers that can do so: 12345678901234567890, 1.0 and -0 are
 * objects there, which `JSON.stringify` writes as they were.
 */
export const exactJson: JsonFormat = {
  parse: (text) => (UNUSUAL.test(text) ? JSON.parse(text, keepNumber) : JSON.parse(text)),
  stringify: (value) => JSON.stringify(value),
};

/** Whether it is a number or text, not a list or an object with entries. */
export function isLeaf(value: unknown): boolean {
  return typeof value !== 'object' || value === null || JSON.isRawJSON?.(value) === true;
}

function keepNumber(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined || source === String(value)) return value;
  return JSON.rawJSON?.(source) ?? value;
}
