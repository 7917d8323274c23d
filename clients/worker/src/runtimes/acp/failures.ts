import { RequestError } from '@agentclientprotocol/sdk';
import { messageOf } from '../../errors.ts';
import { objectOf, textOf } from '../json.ts';
import { type Failure, failure } from '../runtime.ts';

const AUTH_REQUIRED = -32_000;
const MAX_MESSAGE = 2_000;

/** What the status and the message of a failed model call say, in the order of the checks. */
const FAILURES: [RegExp, Failure['code'], boolean][] = [
  [/max_cost|budget_exceeded/, 'budget_exceeded', false],
  [/\b(?:401|403)\b|unauthori[sz]ed|unauthenticated|permission.?denied/i, 'auth_failed', false],
  [/(?:invalid|incorrect).{0,10}api.?key|api.?key not valid|authentication/i, 'auth_failed', false],
  [/\b(?:429|529)\b|rate.?limit|too many requests|resource.?exhausted|overloaded|quota/i, 'rate_limited', true],
  [/content.?(?:policy|filter)|invalid_prompt/i, 'refused', false],
  [/\b(?:400|404|413|422)\b|invalid.?request|context.?(?:window|length)|prompt is too long/i, 'no_result', false],
];

/** The failure that an error of the agent stands for: of its protocol, of its model, or of the connection. */
export function toFailure(error: unknown): Failure {
  const code = error instanceof RequestError ? error.code : undefined;
  const message = describe(error);
  if (code === AUTH_REQUIRED) return fail('auth_failed', message, false);
  // Gemini CLI has the status of the model's answer as its code.
  return toModelFailure(message, `${code} ${message}`);
}

/** The failure of a model call, by what is said of it. */
export function toModelFailure(message: string, said = message): Failure {
  const [, known, retryable] = FAILURES.find(([pattern]) => pattern.test(said)) ?? [];
  return fail(known ?? 'no_result', message, retryable ?? true);
}

/** Of `session/load`: any error but a missing login means that the session is not here. */
export function toLoadFailure(error: unknown): Failure {
  const found = toFailure(error);
  const isLost = error instanceof RequestError && error.code !== AUTH_REQUIRED;
  return isLost ? fail('session_lost', found.message, false) : found;
}

export function fail(code: Failure['code'], message: string, retryable: boolean): Failure {
  return failure(code, message.slice(0, MAX_MESSAGE), retryable);
}

/** The agent's own words; a body of a provider's error is shown as its message. */
function describe(error: unknown): string {
  if (!(error instanceof RequestError)) return `The connection to the agent has ended: ${messageOf(error)}`;
  const { details, message } = objectOf(error.data);
  const said = [error.message, textOf(details) || textOf(message)].filter((text) => text !== '').join(': ');
  return bodyMessage(said) || said || `The agent reported error ${error.code}`;
}

function bodyMessage(text: string): string {
  if (!text.startsWith('{')) return '';
  try {
    const body = objectOf(objectOf(JSON.parse(text)).error);
    const status = textOf(body.status);
    return textOf(body.message) + (status && ` (${status})`);
  } catch {
    return '';
  }
}
