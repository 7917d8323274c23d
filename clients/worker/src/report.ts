import type { JsonFormat } from '@agent-fleet/sdk';
import { DEFAULT_CODE, describeThrown, messageOf, TaskError } from './errors.ts';
import type { Report } from './task.ts';

/** Limit of the fleet, as UTF-8 JSON text. */
const MAX_RESULT_BYTES = 1024 * 1024;
const MAX_CODE = 128;
const MAX_MESSAGE = 8192;

/** The report of a returned value, copied since it may be sent more than once; a failure if it cannot be sent. */
export function completedReport(value: unknown, json: JsonFormat): Report {
  let text: string;
  try {
    text = json.stringify(value) ?? 'null';
  } catch (error) {
    return unusable('invalid_result', `The result is not valid JSON: ${messageOf(error)}`);
  }
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_RESULT_BYTES) return tooLarge(`${bytes} bytes as JSON`);
  return { status: 'completed', result: json.parse(text) };
}

/** The report of a thrown value. */
export function failedReport(thrown: unknown): Report {
  if (!(thrown instanceof TaskError)) return failed(DEFAULT_CODE, describeThrown(thrown), true);
  const { code, retryable, retryAt, session } = thrown;
  const report = failed(code, messageOf(thrown), retryable);
  if (retryAt !== undefined) report.error.retry_at = new Date(retryAt).toISOString();
  return session ? { ...report, session } : report;
}

function failed(code: string, message: string, retryable: boolean): Extract<Report, { status: 'failed' }> {
  return { status: 'failed', error: { code: clip(code, MAX_CODE), message: clip(message, MAX_MESSAGE), retryable } };
}

/** In place of a report that the fleet refused with 422: without a key it keeps no session, so this worker has it. */
export function withoutSessionData(report: Report): Report | undefined {
  if (report.status !== 'failed' || report.session?.data === undefined) return undefined;
  const { data: _, ...session } = report.session;
  return { ...report, session };
}

/** The report in place of a result that the fleet refused. */
export function refusedReport(status: number, message: string): Report {
  if (status === 413) return tooLarge(message);
  return unusable('invalid_result', `The fleet refused the result: ${message}`);
}

/** The error code of a result or an output over its limit. */
export const RESULT_TOO_LARGE = 'result_too_large';

function tooLarge(size: string): Report {
  return unusable(RESULT_TOO_LARGE, `The result is larger than 1 MiB: ${size}`);
}

function unusable(code: string, message: string): Report {
  return { status: 'failed', error: { code, message: clip(message, MAX_MESSAGE), retryable: false } };
}

/** The beginning of a text, without half a surrogate pair at its end. */
export function clip(text: string, length: number): string {
  return text.slice(0, length).toWellFormed();
}
