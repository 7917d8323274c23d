import type { Spend } from './spend-steps-contract.ts';

const NAMES = [
  ...['at', 'key', 'cost', 'attempts', 'input_tokens', 'cached_input_tokens', 'output_tokens', 'reasoning_tokens'],
  'estimated',
];

/** A line of each group of each step (RFC 4180); `estimated`: whether any of its cost is. */
export function toCsv({ steps }: Spend): string {
  const lines = steps.flatMap(({ at, groups }) =>
    groups.map(({ key, cost, ...counts }) => [
      ...[at, toCell(key ?? ''), cost.amount, counts.attempts, counts.input_tokens, counts.cached_input_tokens],
      ...[counts.output_tokens, counts.reasoning_tokens, cost.estimated],
    ]),
  );
  return [NAMES, ...lines].map((cells) => `${cells.join(',')}\r\n`).join('');
}

/** A spreadsheet runs a text as a formula that begins so: https://owasp.org/www-community/attacks/CSV_Injection */
const FORMULA = /^[=+\-@\t\r]/;

function toCell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
