import { isLosslessNumber } from '@agent-fleet/sdk/exact-json';

/** Shorter values are no secrets, and replacing them would spoil the text. */
const MIN_LENGTH = 8;
const REPLACEMENT = '[redacted]';

/** Replaces secrets in texts, in their usual encodings too. */
export interface Redactor {
  text(text: string): string;
  /** In all strings of a JSON value, the names of properties included. */
  json(value: unknown): unknown;
  /** For a text in pieces: a secret may begin in one and end in another. */
  stream(): RedactionStream;
}

interface RedactionStream {
  /** Returns what cannot be the beginning of a secret. */
  add(piece: string): string;
  /** Returns the rest. */
  end(): string;
}

/** @param secrets values of at least 8 characters; each line of a longer text, such as a PEM file, is one of its own */
export function createRedactor(secrets: Iterable<string>): Redactor {
  const forms = [...new Set([...secrets].flatMap((secret) => secret.split(/\r?\n/)).flatMap(formsOf))]
    .filter((form) => form.length >= MIN_LENGTH)
    .sort((a, b) => b.length - a.length);
  const pattern = new RegExp(forms.map(escapePattern).join('|') || '(?!)', 'g');
  const text = (value: string) => value.replace(pattern, REPLACEMENT);
  return { text, json: (value) => redactJson(value, text), stream: () => createStream(forms, pattern, text) };
}

/** Plain, in JSON, URL-encoded, hexadecimal, and Base64 at each of the three offsets that it may have in a text. */
function formsOf(secret: string): string[] {
  if (secret.length < MIN_LENGTH) return [];
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    // The first and the last characters have bits of their neighbours.
    const begin = [0, 2, 3][offset];
    return text.replace(/=+$/, '').slice(begin, (offset + bytes.length) % 3 === 0 ? undefined : -1);
  });
  const url = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  const hex = bytes.toString('hex');
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret.toWellFormed()),
    hex,
    hex.toUpperCase(),
    ...base64,
    ...url,
  ];
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function redactJson(value: unknown, text: (value: string) => string): unknown {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return value.map((item) => redactJson(item, text));
  if (typeof value !== 'object' || value === null || isLosslessNumber(value)) return value;
  // Not by assignment: a property may be called __proto__.
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [text(name), redactJson(item, text)]));
}

function createStream(forms: readonly string[], pattern: RegExp, text: (value: string) => string): RedactionStream {
  const longest = forms[0]?.length ?? 0;
  let rest = '';
  return {
    add(piece) {
      rest += piece;
      let begin = Math.max(0, rest.length - longest + 1);
      while (begin < rest.length && !forms.some((form) => form.startsWith(rest.slice(begin)))) begin += 1;
      // A whole secret across that point goes out, replaced.
      for (const { index, 0: found } of rest.matchAll(pattern)) {
        if (index < begin && index + found.length > begin) begin = index + found.length;
      }
      const out = text(rest.slice(0, begin));
      rest = rest.slice(begin);
      return out;
    },
    end() {
      const out = text(rest);
      rest = '';
      return out;
    },
  };
}
