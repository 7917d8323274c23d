import type { Used } from '../task.ts';

const DECIMALS = 1e6;
/** Limits of the fleet for an attempt. */
const MAX_TOKENS = 1e11;
const MAX_AMOUNT = 1e6;
const MAX_MODEL = 128;

export type UsedCounter = ReturnType<typeof createUsedCounter>;

/**
 * What an attempt has used: the numbers of the key proxy if it saw calls, else those of the runtime.
 * @param sessionBefore usage of the session before this attempt, as the runtime counts it
 * @param onChange receives each new total
 */
export function createUsedCounter(sessionBefore: Used | null, onChange: (total: Used) => void) {
  let ofRuntime: Used | undefined;
  let ofSession: Used | null = sessionBefore;
  let ofProxy: Used | undefined;
  /** Undefined while nothing is known. */
  function total(): Used | undefined {
    if (ofProxy === undefined) return ofRuntime;
    return { ...ofProxy, model: ofProxy.model ?? ofRuntime?.model ?? null };
  }
  function changed(): void {
    const now = total();
    if (now !== undefined) onChange(withinLimits(now));
  }
  return {
    total,
    runtime(used: Used, isOfSession: boolean): void {
      ofRuntime = isOfSession ? plus(used, sessionBefore, -1) : used;
      ofSession = isOfSession ? used : plus(used, sessionBefore, 1);
      changed();
    },
    /** @param used undefined if the proxy saw no call */
    proxy(used: Used | undefined): void {
      if (used === undefined) return;
      ofProxy = used;
      changed();
    },
    /** Of all attempts of the session, as the runtime reports it. */
    session: () => ofSession,
  };
}

/** What the fleet takes: a runtime may report anything. */
function withinLimits({ usage, cost, model }: Used): Used {
  const input = toTokens(usage?.input_tokens);
  const output = toTokens(usage?.output_tokens);
  return {
    usage: usage && {
      input_tokens: input,
      cached_input_tokens: Math.min(toTokens(usage.cached_input_tokens), input),
      output_tokens: output,
      reasoning_tokens: Math.min(toTokens(usage.reasoning_tokens), output),
    },
    cost: cost && { ...cost, amount: within(cost.amount, MAX_AMOUNT) },
    model: model?.slice(0, MAX_MODEL) || null,
  };
}

const toTokens = (value: number | undefined) => Math.round(within(value, MAX_TOKENS));

function within(value: number | undefined, max: number): number {
  return value === undefined || Number.isNaN(value) ? 0 : Math.min(Math.max(value, 0), max);
}

/** Numbers of a session with, or without, those of this attempt. Nothing is below 0. */
function plus(used: Used, more: Used | null, sign: 1 | -1): Used {
  const add = (a: number, b = 0) => Math.max(0, a + sign * b);
  return {
    usage: used.usage && {
      input_tokens: add(used.usage.input_tokens, more?.usage?.input_tokens),
      cached_input_tokens: add(used.usage.cached_input_tokens, more?.usage?.cached_input_tokens),
      output_tokens: add(used.usage.output_tokens, more?.usage?.output_tokens),
      reasoning_tokens: add(used.usage.reasoning_tokens, more?.usage?.reasoning_tokens),
    },
    cost: used.cost && {
      ...used.cost,
      amount: Math.round(add(used.cost.amount, more?.cost?.amount) * DECIMALS) / DECIMALS,
    },
    model: used.model,
  };
}
