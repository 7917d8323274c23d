import { type JsonObject, objectOf, textOf } from '../json.ts';
import { type Failure, failure } from '../runtime.ts';
import { bodyMessage, toModelFailure } from '../session/failures.ts';

const AUTH_REQUIRED = -32_000;

/** The failure that an error of the agent stands for: of its protocol, or of its model. */
export function toFailure(error: JsonObject): Failure {
  const message = describe(error);
  if (error.code === AUTH_REQUIRED) return failure('auth_failed', message, false);
  // Gemini CLI has the status of the model's answer as its code.
  return toModelFailure(message, `${error.code} ${message}`);
}

/** Of `session/load`: any error but a missing login means that the session is not here. */
export function toLoadFailure(error: JsonObject): Failure {
  return error.code === AUTH_REQUIRED ? toFailure(error) : failure('session_lost', describe(error), false);
}

/** The agent's own words; a body of a provider's error is shown as its message. */
function describe({ code, message, data }: JsonObject): string {
  const { details, message: more } = objectOf(data);
  const said = [textOf(message), textOf(details) || textOf(more)].filter((text) => text !== '').join(': ');
  return bodyMessage(said) || said || `The agent reported error ${code}`;
}
