import type { components } from '@agent-fleet/sdk';
import { count, dollars, plural } from './numbers.ts';

type Schemas = components['schemas'];
type Usage = Schemas['Usage'];
type Cost = Schemas['Cost'];

/** `$0.0123 (estimated)` */
export function costText({ amount, estimated }: Cost): string {
  return `${dollars(amount)}${estimated ? ' (estimated)' : ''}`;
}

/** What an attempt has reported, in parts for one line. The name of its model comes from elsewhere. */
export function spentParts({ model, usage, cost }: { model: string | null; usage: Usage | null; cost: Cost | null }) {
  return [model ?? '', usage ? tokensText(usage) : '', cost ? costText(cost) : ''].filter(Boolean);
}

/** `12,345 tokens in (10,000 cached), 2,345 out (1,000 reasoning)` */
function tokensText({ input_tokens, cached_input_tokens, output_tokens, reasoning_tokens }: Usage): string {
  const cached = cached_input_tokens > 0 ? ` (${count(cached_input_tokens)} cached)` : '';
  const reasoning = reasoning_tokens > 0 ? ` (${count(reasoning_tokens)} reasoning)` : '';
  return `${plural(input_tokens, 'token')} in${cached}, ${count(output_tokens)} out${reasoning}`;
}
