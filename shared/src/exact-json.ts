declare global {
  // https://tc39.es/proposal-json-parse-with-source/
  interface JSON {
    rawJSON(text: string): RawJson;
    isRawJSON(value: unknown): value is RawJson;
    parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  }
}

/** A number or text that `JSON.stringify` writes as it was sent. */
interface RawJson {
  readonly rawJSON: string;
}

/**
 * Where JSON may have a number or a text that is written differently again: an escape, an exponent, -0, a zero at the
 * end, or 16 digits. A reviver takes ten times as long as `JSON.parse` alone.
 */
const UNUSUAL = /\\[u/]|[:,[\s](?:-0[,\]}\s]|-?(?:\d+(?:\.\d*)?[eE]|\d+\.\d*0[,\]}\s]|0\.0{6}|[\d.]{16}))/;

/**
 * Parses JSON so that `JSON.stringify` writes what is in the members named `verbatim`, at any depth, as it was sent:
 * 1.0, -0, 12345678901234567890, escapes. There, these numbers and texts are `RawJson`.
 */
export function parseExact(text: string, verbatim: ReadonlySet<string>): unknown {
  return UNUSUAL.test(text) ? toPlain(JSON.parse(text, keepSource), verbatim) : JSON.parse(text);
}

/** Replaces each `RawJson` by its value, except in the members named `verbatim`. */
export function toPlain(value: unknown, verbatim?: ReadonlySet<string>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (JSON.isRawJSON(value)) return JSON.parse(value.rawJSON);
  if (Array.isArray(value)) return value.map((part) => toPlain(part, verbatim));
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, verbatim?.has(name) ? part : toPlain(part, verbatim)]),
  );
}

/** The value of a `RawJson`, a large integer exactly; any other value as it is. */
export function toComparable(value: unknown): unknown {
  if (!JSON.isRawJSON(value)) return value;
  const plain: unknown = JSON.parse(value.rawJSON);
  return Number.isInteger(plain) && !Number.isSafeInteger(plain) ? (toBigInt(value.rawJSON) ?? plain) : plain;
}

/** Undefined for a number with a fraction. */
function toBigInt(source: string): bigint | undefined {
  const [, sign, whole, fraction = '', exponent = '0'] = NUMBER.exec(source) as RegExpExecArray as string[];
  const digits = `${whole}${fraction}`;
  const zeros = Number(exponent) - fraction.length;
  if (zeros >= 0) return BigInt(`${sign}${digits}${'0'.repeat(zeros)}`);
  return /^0*$/.test(digits.slice(zeros)) ? BigInt(`${sign}${digits.slice(0, zeros)}`) : undefined;
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** A number above 1.8e308 stays infinite. */
function keepSource(_key: string, value: unknown, { source }: { source?: string }): unknown {
  if (source === undefined || value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) return value;
  return source === JSON.stringify(value) ? value : JSON.rawJSON(source);
}
