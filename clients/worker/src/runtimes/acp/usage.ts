import type { Usage } from '../../task.ts';
import { countOf, type JsonObject } from '../json.ts';

/** Agents count cached and reasoning tokens beside the others or among them: the total tells. */
export function toUsage(usage: JsonObject): Usage | undefined {
  if (typeof usage.inputTokens !== 'number') return undefined;
  const [input, output] = [countOf(usage.inputTokens), countOf(usage.outputTokens)];
  const [reasoning, read, written] = [usage.thoughtTokens, usage.cachedReadTokens, usage.cachedWriteTokens].map(
    countOf,
  );
  const isAmong = countOf(usage.totalTokens) <= input + output;
  return {
    input_tokens: isAmong ? input : input + (read ?? 0) + (written ?? 0),
    cached_input_tokens: read ?? 0,
    output_tokens: isAmong ? output : output + (reasoning ?? 0),
    reasoning_tokens: reasoning ?? 0,
  };
}

export function toQuotaUsage({ input_tokens, output_tokens }: JsonObject): Usage | undefined {
  if (typeof input_tokens !== 'number') return undefined;
  return {
    input_tokens: countOf(input_tokens),
    cached_input_tokens: 0,
    output_tokens: countOf(output_tokens),
    reasoning_tokens: 0,
  };
}
