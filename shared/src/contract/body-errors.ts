import { type HttpError, httpError, validationError } from '../http/errors.ts';

/** 400 `validation_error` of a body that cannot be parsed. */
export function malformed(message: string): HttpError {
  return validationError([{ path: '', code: 'malformed_body', message }]);
}

/** 413 `payload_too_large`. */
export function tooLarge(maxBytes: number): HttpError {
  return httpError('payload_too_large', `The body is larger than ${maxBytes} bytes`);
}
