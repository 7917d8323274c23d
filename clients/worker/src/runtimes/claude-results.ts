import type { Cost, Usage } from '../task.ts';
import { countOf, type JsonObject, objectOf, objectsOf, textOf } from './json.ts';
import { type Failure, failure, type RuntimeEvent } from './runtime.ts';

const LOST_SESSION = /No conversation found with session ID|--resume requires a valid session/;

type Tokens = Record<'input' | 'cacheRead' | 'cacheCreation' | 'output' | 'reasoning', number>;

/** Adds up the results of one process: each has a turn, or several. */
export function createClaudeUsage({ isResumed }: { isResumed: boolean }) {
  const sinceStart: JsonObject[] = [];
  let turns = 0;
  return {
    /** Of this process where the version tells it, else of the whole session. Nothing when no model call succeeded. */
    *read(result: JsonObject, model: string | null): Generator<RuntimeEvent> {
      const ofRun = result.model_usage_since_last_result;
      sinceStart.push(...objectsOf(Object.values(objectOf(ofRun))));
      turns += countOf(result.num_turns);
      const models = ofRun === undefined ? objectsOf(Object.values(objectOf(result.modelUsage))) : sinceStart;
      if (models.length === 0) return;
      const amount = models.reduce((sum, { costUSD }) => sum + (typeof costUSD === 'number' ? costUSD : 0), 0);
      const used = { usage: toUsage(models.map(tokensOf)), cost: costOf(amount), model };
      yield { type: 'used', used, ofSession: isResumed && ofRun === undefined, turns };
    },
  };
}

/** Claude Code computes it from a price list of its own. */
const costOf = (amount: number): Cost => ({ amount, currency: 'USD', estimated: true });

const tokensOf = (usage: JsonObject): Tokens => ({
  input: countOf(usage.inputTokens),
  cacheRead: countOf(usage.cacheReadInputTokens),
  cacheCreation: countOf(usage.cacheCreationInputTokens),
  output: countOf(usage.outputTokens),
  reasoning: countOf(usage.thinkingTokens),
});

/** Anthropic's input tokens leave out what is read from the cache and written to it. */
function toUsage(models: Tokens[]): Usage {
  const sum = (of: (tokens: Tokens) => number) => models.reduce((total, tokens) => total + of(tokens), 0);
  return {
    input_tokens: sum(({ input, cacheRead, cacheCreation }) => input + cacheRead + cacheCreation),
    cached_input_tokens: sum(({ cacheRead }) => cacheRead),
    output_tokens: sum(({ output }) => output),
    reasoning_tokens: sum(({ reasoning }) => reasoning),
  };
}

/** Whether a turn was cut off, which is no end of the session. `subtype` may be `success` then. */
export const isCut = (result: JsonObject) => /^aborted|^tool_deferred/.test(textOf(result.terminal_reason));

/** `subtype` is `success` also after a model call that failed: then `is_error` is true. */
export function readResult(result: JsonObject): RuntimeEvent {
  const { subtype, is_error, structured_output: output } = result;
  const text = textOf(result.result);
  if (isCut(result)) return failure('no_result', 'The turn was interrupted', true);
  if (subtype === 'success' && is_error === false) {
    return { type: 'success', text, ...(output !== undefined && { output }) };
  }
  const errors = Array.isArray(result.errors) ? result.errors.map(textOf) : [];
  return readError(result, text || errors.join('\n') || `Claude Code ended with ${textOf(subtype)}`);
}

function readError({ subtype, stop_reason, api_error_status: status }: JsonObject, message: string): Failure {
  if (subtype === 'error_max_turns') return failure('max_turns', message, false);
  if (subtype === 'error_max_budget_usd') return failure('budget_exceeded', message, false);
  if (subtype === 'error_max_structured_output_retries') return failure('output_invalid', message, true);
  if (LOST_SESSION.test(message)) return failure('session_lost', message, false);
  if (stop_reason === 'refusal') return failure('refused', message, false);
  // The key proxy says so.
  if (message.includes('max_cost')) return failure('budget_exceeded', message, false);
  if (status === 401 || status === 403 || /credit balance/i.test(message))
    return failure('auth_failed', message, false);
  if (status === 429 || status === 529) return failure('rate_limited', message, true);
  const isPermanent = typeof status === 'number' && status >= 400 && status < 500;
  return failure('no_result', message, !isPermanent);
}
