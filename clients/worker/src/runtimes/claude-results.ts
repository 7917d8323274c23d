import { type JsonObject, textOf } from './json.ts';
import { type Failure, failure, type RuntimeEvent } from './runtime.ts';
import { toModelFailure } from './session/failures.ts';

const LOST_SESSION = /No conversation found with session ID|--resume requires a valid session/;

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
  return toModelFailure(message, `${status ?? ''} ${message}`);
}
