import type { components } from '@agent-fleet/sdk';

const BYTE_UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

const THOUSANDS = ['', 'k', 'M', 'B', 'T'];

// Not by `Intl`: its first format takes 15 ms, on a telephone 60.

/** `1,234,567` */
export function count(value: number): string {
  const [whole = '', ...fraction] = String(Math.round(value * 1000) / 1000).split('.');
  return [whole.replace(/\B(?=(?:\d{3})+$)/g, ','), ...fraction].join('.');
}

/** `161k`, for places where the exact number is not the point. */
export function compact(value: number): string {
  let amount = value;
  let unit = 0;
  // What would be printed as 1000 belongs to the next unit.
  while (Math.abs(amount) >= 999.5 && unit < THOUSANDS.length - 1) {
    amount /= 1000;
    unit += 1;
  }
  return `${Number(amount.toPrecision(3))}${THOUSANDS[unit]}`;
}

/** `1.0 MB`: units of 1,024, as the limits of the API are. */
export function bytes(size: number): string {
  let amount = size;
  let unit = 0;
  // What would be printed as 1024 belongs to the next unit.
  while (Math.abs(amount) >= 1023.5 && unit < BYTE_UNITS.length - 1) {
    amount /= 1024;
    unit += 1;
  }
  const digits = unit > 0 && Math.abs(amount) < 9.95 ? 1 : 0;
  return `${amount.toFixed(digits)} ${BYTE_UNITS[unit]}`;
}

/** `1 task`, `2,000 tasks`. */
export function plural(value: number, singular: string, many = `${singular}s`): string {
  return `${count(value)} ${value === 1 ? singular : many}`;
}

/** `$1,234.50`, `$0.0123`, `$0.000045`: the smaller the amount, the more of its decimals. */
export function dollars(amount: number): string {
  const digits = amount >= 1 || amount === 0 ? 2 : 4;
  const text = amount < 0.01 && amount > 0 ? amount.toFixed(6).replace(/00?$/, '') : amount.toFixed(digits);
  const [whole, decimals] = text.split('.');
  return `$${count(Number(whole))}.${decimals}`;
}

type Schemas = components['schemas'];
type Usage = Schemas['Usage'];
type Cost = Schemas['Cost'];

/** `$0.0123 (estimated)` */
export function costText({ amount, estimated }: Cost): string {
  return `${dollars(amount)}${estimated ? ' (estimated)' : ''}`;
}

/** What an attempt has reported, in parts for one line; of its task one reads whether costs are estimated. */
export function spentParts({ model, usage, cost }: { model: string | null; usage: Usage | null; cost: Cost | null }) {
  return [model ?? '', usage ? tokensText(usage) : '', cost ? dollars(cost.amount) : ''].filter(Boolean);
}

/** `12,345 tokens in (10,000 cached), 2,345 out (1,000 reasoning)` */
function tokensText({ input_tokens, cached_input_tokens, output_tokens, reasoning_tokens }: Usage): string {
  const cached = cached_input_tokens > 0 ? ` (${count(cached_input_tokens)} cached)` : '';
  const reasoning = reasoning_tokens > 0 ? ` (${count(reasoning_tokens)} reasoning)` : '';
  return `${plural(input_tokens, 'token')} in${cached}, ${count(output_tokens)} out${reasoning}`;
}
