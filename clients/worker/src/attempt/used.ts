import type { Cost, Usage, Used } from '../task.ts';

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
      ofRuntime = isOfSession ? difference(used, sessionBefore) : used;
      ofSession = isOfSession ? used : sum(sessionBefore, used);
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

function difference(after: Used, before: Used | null): Used {
  if (before === null) return after;
  return {
    usage: after.usage && combineUsage(after.usage, before.usage, (a, b) => Math.max(0, a - b)),
    cost: after.cost && combineCost(after.cost, before.cost, (a, b) => Math.max(0, a - b)),
    model: after.model,
  };
}

function sum(before: Used | null, more: Used): Used {
  if (before === null) return more;
  return {
    usage: more.usage && combineUsage(more.usage, before.usage, (a, b) => a + b),
    cost: more.cost && combineCost(more.cost, before.cost, (a, b) => a + b),
    model: more.model,
  };
}

type Operation = (a: number, b: number) => number;

function combineUsage(a: Usage, b: Usage | null, operation: Operation): Usage {
  return {
    input_tokens: operation(a.input_tokens, b?.input_tokens ?? 0),
    cached_input_tokens: operation(a.cached_input_tokens, b?.cached_input_tokens ?? 0),
    output_tokens: operation(a.output_tokens, b?.output_tokens ?? 0),
    reasoning_tokens: operation(a.reasoning_tokens, b?.reasoning_tokens ?? 0),
  };
}

function combineCost(a: Cost, b: Cost | null, operation: Operation): Cost {
  return { ...a, amount: Math.round(operation(a.amount, b?.amount ?? 0) * DECIMALS) / DECIMALS };
}
