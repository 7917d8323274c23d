import { orNull, textSchema } from '@agent-fleet/shared/contract/fields';
import { z } from 'zod';
import { integerSchema } from '../contract/fields.ts';

/** Of one attempt. So the sums of millions of attempts are exact. */
const MAX_TOKENS = 1e11;
const MAX_AMOUNT = 1e6;
const MIN_LIMIT = 0.000001;

const tokensSchema = integerSchema(0, MAX_TOKENS);

/** What a worker reports of the tokens of an attempt. */
const usageInputSchema = z
  .strictObject({
    input_tokens: tokensSchema,
    cached_input_tokens: tokensSchema.default(0).meta({ description: 'Those of `input_tokens` read from a cache.' }),
    output_tokens: tokensSchema,
    reasoning_tokens: tokensSchema.default(0).meta({ description: 'Those of `output_tokens` spent on reasoning.' }),
  })
  .refine(({ input_tokens, cached_input_tokens: cached }) => cached <= input_tokens, {
    path: ['cached_input_tokens'],
    message: 'must not be more than input_tokens',
  })
  .refine(({ output_tokens, reasoning_tokens: reasoning }) => reasoning <= output_tokens, {
    path: ['reasoning_tokens'],
    message: 'must not be more than output_tokens',
  })
  .meta({ id: 'UsageInput' });

const currencySchema = z.literal('USD', 'must be USD');

const costInputSchema = z
  .strictObject({
    amount: z
      .number('must be a number')
      .min(0, `must be from 0 to ${MAX_AMOUNT}`)
      .max(MAX_AMOUNT, `must be from 0 to ${MAX_AMOUNT}`)
      .meta({ description: 'Six decimals are kept.' }),
    currency: currencySchema,
    estimated: z.boolean('must be true or false').default(false).meta({ description: 'Computed from a price list.' }),
  })
  .meta({ id: 'CostInput' });

const TOTALS = 'Of the attempt so far. Without it, or with null, the last value stays.';

/** Fields of a heartbeat and of a result: what the attempt has used so far. */
export const spendFields = {
  usage: orNull(usageInputSchema, TOTALS).optional(),
  cost: orNull(costInputSchema, TOTALS).optional(),
  model: textSchema(1, 128)
    .nullish()
    .meta({ type: ['string', 'null'], description: 'The model that the attempt uses, as its provider names it.' }),
};

export const usageSchema = z
  .strictObject({
    input_tokens: z.int(),
    cached_input_tokens: z.int().meta({ description: 'Part of `input_tokens`.' }),
    output_tokens: z.int(),
    reasoning_tokens: z.int().meta({ description: 'Part of `output_tokens`.' }),
  })
  .meta({ id: 'Usage', description: 'Tokens of language models.' });

export const costSchema = z
  .strictObject({
    amount: z.number().meta({ description: 'At most six decimals.' }),
    currency: z.literal('USD'),
    estimated: z.boolean().meta({ description: 'Whether any part was computed from a price list.' }),
  })
  .meta({ id: 'Cost' });

const OUTSIDE_LIMITS = `must be from ${MIN_LIMIT} to ${MAX_AMOUNT}`;

export const maxCostSchema = z
  .strictObject({
    amount: z
      .number('must be a number')
      .min(MIN_LIMIT, OUTSIDE_LIMITS)
      .max(MAX_AMOUNT, OUTSIDE_LIMITS)
      .meta({ description: 'Six decimals are kept.' }),
    currency: currencySchema,
  })
  .meta({ id: 'MaxCost', description: 'What all attempts together may cost.' });

export type Usage = z.output<typeof usageSchema>;
export type Cost = z.output<typeof costSchema>;

export const USAGE_EXAMPLE = {
  input_tokens: 48_210,
  cached_input_tokens: 40_960,
  output_tokens: 2_155,
  reasoning_tokens: 640,
};
export const COST_EXAMPLE = { amount: 0.0921, currency: 'USD' as const, estimated: false };
