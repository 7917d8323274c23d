/** Errors found when the files of a source are parsed. */
export const READ_ERROR_CODES = [
  'not_json',
  'html',
  'unknown_shape',
  'empty',
  'shrunk',
  'mostly_rejected',
  'wrong_count',
] as const;

export type ReadErrorCode = (typeof READ_ERROR_CODES)[number];

/** Why a check of upstream failed: a closed list, shown as `last_error.code` by `/api/registry/status`. */
export const UPSTREAM_ERROR_CODES = [
  'timeout',
  'unreachable',
  'http_status',
  'rate_limited',
  'redirect',
  'private_address',
  'too_large',
  'truncated',
  'wrong_digest',
  'bad_manifest',
  'unreadable_file',
  'build_failed',
  ...READ_ERROR_CODES,
] as const;

export type UpstreamErrorCode = (typeof UPSTREAM_ERROR_CODES)[number];

/** `message` is public: it contains no credentials and of a URL only the host. */
export class UpstreamError extends Error {
  readonly code: UpstreamErrorCode;
  /** The delay of `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The status of the response, if that is the error. */
  readonly status: number | undefined;

  constructor(code: UpstreamErrorCode, message: string, cause?: unknown, retryAfterMs?: number, status?: number) {
    super(message, { cause });
    this.name = 'UpstreamError';
    this.code = code;
    this.retryAfterMs = retryAfterMs;
    this.status = status;
  }
}
