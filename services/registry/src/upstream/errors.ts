/** Why a check of upstream failed: a closed list, shown as `last_error.code` by `/api/registry/status`. */
export const UPSTREAM_ERROR_CODES = [
  'timeout',
  'unreachable',
  'http_status',
  'redirect',
  'too_large',
  'truncated',
  'not_json',
  'unknown_shape',
  'empty',
  'shrunk',
  'unreadable_file',
] as const;

export type UpstreamErrorCode = (typeof UPSTREAM_ERROR_CODES)[number];

/** `message` is shown to everyone, so it holds no address beyond the host and no credentials. */
export class UpstreamError extends Error {
  readonly code: UpstreamErrorCode;

  constructor(code: UpstreamErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'UpstreamError';
    this.code = code;
  }
}
