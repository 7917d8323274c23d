import { type JsonObject, textOf } from '../json.ts';
import type { Failure } from '../runtime.ts';
import { bodyMessage, toModelFailure } from '../session/failures.ts';

/** @param error of a turn, or of a retry */
export function toFailure(error: JsonObject): Failure {
  const message = messageOf(error);
  return toModelFailure(message, `${JSON.stringify(error.codexErrorInfo ?? '')} ${message}`);
}

/** The message of an error; a body of the provider's JSON is shown as its own message. */
export function messageOf({ message, additionalDetails }: JsonObject): string {
  const said = [bodyMessage(textOf(message)) || textOf(message), textOf(additionalDetails)];
  return said.filter((text) => text !== '').join(': ') || 'Codex reported an error without a message';
}
