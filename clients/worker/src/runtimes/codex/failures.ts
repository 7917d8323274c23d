import { exactJson } from '@agent-fleet/sdk/exact-json';
import { type JsonObject, objectOf, textOf } from '../json.ts';
import { type Failure, failure } from '../runtime.ts';

/** What Codex says of a failed turn: its own word, the provider's status, the message; in the order of the checks. */
const FAILURES: [RegExp, Failure['code'], boolean][] = [
  [/max_cost|budget_exceeded/, 'budget_exceeded', false],
  [/\b(?:401|403)\b|invalid_api_key|unauthorized/i, 'auth_failed', false],
  [/quota exceeded|insufficient_quota|billing/i, 'auth_failed', false],
  [/\b429\b|rate.?limit|usage.?limit|at capacity|overloaded/i, 'rate_limited', true],
  [
    /usage policy|content.?policy|(?:cyber|bio|misalignment)Policy|content_filter|invalid_prompt|flagged/i,
    'refused',
    false,
  ],
  [
    /\b(?:400|404|413|422)\b|context.?window|invalid schema|modelNotFound|does not exist|not supported/i,
    'no_result',
    false,
  ],
];

export const sessionLost = (message: string): Failure => failure('session_lost', message, false);

/** @param error of a turn, or of a retry */
export function toFailure(error: JsonObject): Failure {
  const message = messageOf(error);
  const said = `${JSON.stringify(error.codexErrorInfo ?? '')} ${message}`;
  const [, code, retryable] = FAILURES.find(([pattern]) => pattern.test(said)) ?? [];
  return failure(code ?? 'no_result', message, retryable ?? true);
}

/** The message of an error; a body of the provider's JSON is shown as its own message. */
export function messageOf({ message, additionalDetails }: JsonObject): string {
  const inner = textOf(objectOf(objectOf(parse(textOf(message))).error).message);
  const said = [inner || textOf(message), textOf(additionalDetails)].filter((text) => text !== '');
  return said.join(': ') || 'Codex reported an error without a message';
}

export function parse(text: string): unknown {
  try {
    return exactJson.parse(text);
  } catch {
    return undefined;
  }
}
