import { exactJson } from '@agent-fleet/sdk/exact-json';
import { objectOf, textOf } from '../json.ts';
import { type Failure, failure } from '../runtime.ts';

/** What is said of a failed model call, with its status; in the order of the checks. */
const FAILURES: [RegExp, Failure['code'], isRetryable: boolean][] = [
  [/max_cost|budget_exceeded/, 'budget_exceeded', false],
  [/\b(?:401|403)\b|unauthori[sz]ed|unauthenticated|permission.?denied/i, 'auth_failed', false],
  [/(?:invalid|incorrect).{0,10}api.?key|api.?key not valid|authentication/i, 'auth_failed', false],
  [/insufficient_quota|quota exceeded\. check your plan|billing hard limit|credit balance/i, 'auth_failed', false],
  [/\b(?:429|529)\b|(?:rate|usage).?limit|too many requests|resource.?exhausted/i, 'rate_limited', true],
  [/at capacity|overloaded|quota/i, 'rate_limited', true],
  [/(?:usage|content).?(?:policy|filter)|(?:cyber|bio|misalignment)Policy|invalid_prompt|flagged/i, 'refused', false],
  [/\b(?:400|404|413|422)\b|invalid.?(?:request|schema)|prompt is too long/i, 'no_result', false],
  [/context.?(?:window|length)|modelNotFound|model.{0,80} (?:does not exist|not supported)/i, 'no_result', false],
];

/** The failure of a model call. @param said more of it than the message */
export function toModelFailure(message: string, said = message): Failure {
  const [, code, isRetryable] = FAILURES.find(([pattern]) => pattern.test(said)) ?? [];
  return failure(code ?? 'no_result', message, isRetryable ?? true);
}

/** The message in the body of a provider's error; empty for another text. */
export function bodyMessage(text: string): string {
  const { message, status } = objectOf(objectOf(parse(text)).error);
  return textOf(message) + (textOf(status) && ` (${textOf(status)})`);
}

/** Undefined for what is no JSON. */
export function parse(text: string): unknown {
  try {
    return exactJson.parse(text);
  } catch {
    return undefined;
  }
}
