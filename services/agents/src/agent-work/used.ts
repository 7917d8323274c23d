import { encodePart } from '../contract/ids.ts';
import type { Cost, Usage } from './spend.ts';

/** Amounts are kept in this part of a dollar. */
const MICROS = 1e6;

/** What an attempt has used, as its worker has reported it; null what it has not. */
export interface Used {
  usage: Usage | null;
  cost: Cost | null;
  model: string | null;
}

/** The same in one report, without what stays. */
export type ReportedUse = { [Field in keyof Used]?: Used[Field] | undefined };

export const NOTHING_USED: Used = { usage: null, cost: null, model: null };

/** The last report with a new one, whose values replace those before. Undefined while nothing was reported. */
export function mergeUsed(last: Used | undefined, { usage, cost, model }: ReportedUse): Used | undefined {
  if (!usage && !cost && !model) return last;
  const { usage: lastUsage, cost: lastCost, model: lastModel } = last ?? NOTHING_USED;
  return {
    usage: usage ?? lastUsage,
    cost: cost ? { ...cost, amount: roundAmount(cost.amount) } : lastCost,
    model: model ?? lastModel,
  };
}

/** The sums of a task, with those of an attempt that ends. */
export function addUsed(sums: Pick<Used, 'usage' | 'cost'>, used: Used | undefined): Pick<Used, 'usage' | 'cost'> {
  return { usage: addUsage(sums.usage, used?.usage ?? null), cost: addCost(sums.cost, used?.cost ?? null) };
}

function addUsage(one: Usage | null, other: Usage | null): Usage | null {
  if (!one || !other) return one ?? other;
  return {
    input_tokens: one.input_tokens + other.input_tokens,
    cached_input_tokens: one.cached_input_tokens + other.cached_input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    reasoning_tokens: one.reasoning_tokens + other.reasoning_tokens,
  };
}

function addCost(one: Cost | null, other: Cost | null): Cost | null {
  if (!one || !other) return one ?? other;
  const amount = toAmount(toMicros(one.amount) + toMicros(other.amount));
  return { amount, currency: 'USD', estimated: one.estimated || other.estimated };
}

/** Whether a cost has reached a limit. */
export function isSpent(cost: Cost | null, limit: { amount: number } | null): boolean {
  return cost !== null && limit !== null && toMicros(cost.amount) >= toMicros(limit.amount);
}

/** An amount with the decimals that are kept. */
export function roundAmount(amount: number): number {
  return toAmount(toMicros(amount));
}

export function toAmount(micros: number): number {
  return micros / MICROS;
}

/** A whole number, so that sums are exact. */
export function toMicros(amount: number): number {
  return Math.round(amount * MICROS);
}

/**
 * What the counters of spent tokens and money count (includes/counters.lua). `micros`: millionths of a dollar;
 * `estimated`: attempts whose cost was.
 */
export const SPENT_COUNTERS = ['attempts', 'input', 'cached', 'output', 'reasoning', 'micros', 'estimated'] as const;

export type SpentCounter = (typeof SPENT_COUNTERS)[number];

/** What an ended attempt adds to the counters. `isReported`: its worker has reported usage or cost. */
export function toSpent({ usage, cost, model }: Used = NOTHING_USED) {
  const counts: Record<SpentCounter, number> = {
    attempts: 1,
    input: usage?.input_tokens ?? 0,
    cached: usage?.cached_input_tokens ?? 0,
    output: usage?.output_tokens ?? 0,
    reasoning: usage?.reasoning_tokens ?? 0,
    micros: cost ? toMicros(cost.amount) : 0,
    estimated: cost?.estimated ? 1 : 0,
  };
  const counted = Object.entries(counts).filter(([, count]) => count > 0);
  const isReported = usage !== null || cost !== null;
  return { isReported, model: model === null ? '' : encodePart(model), counts: Object.fromEntries(counted) };
}
