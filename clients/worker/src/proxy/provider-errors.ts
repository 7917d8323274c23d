import type { ServerResponse } from 'node:http';
import type { Provider } from '../runtimes/runtime.ts';

/** For what is still to come of a request that was answered. */
const REST_MS = 2_000;

/** Why the proxy itself answers. */
export type ProxyErrorKind = keyof typeof KINDS;

/**
 * Status, Anthropic's type, Google's status. A used-up budget is 400: clients repeat 408, 409, 429 and 5xx, and Codex
 * also repeats what it does not know, such as 402.
 */
const KINDS = {
  invalid: [400, 'invalid_request_error', 'INVALID_ARGUMENT'],
  budget: [400, 'invalid_request_error', 'FAILED_PRECONDITION'],
  unauthenticated: [401, 'authentication_error', 'UNAUTHENTICATED'],
  forbidden: [403, 'permission_error', 'PERMISSION_DENIED'],
  unknown: [404, 'not_found_error', 'NOT_FOUND'],
  large: [413, 'request_too_large', 'INVALID_ARGUMENT'],
  encoded: [415, 'invalid_request_error', 'INVALID_ARGUMENT'],
  busy: [429, 'rate_limit_error', 'RESOURCE_EXHAUSTED'],
  unreachable: [502, 'api_error', 'UNAVAILABLE'],
  late: [504, 'timeout_error', 'DEADLINE_EXCEEDED'],
} as const;

/** OpenAI's `code`, where the kind has one. */
const OPENAI_CODES: Partial<Record<ProxyErrorKind, string>> = {
  budget: 'budget_exceeded',
  unauthenticated: 'invalid_api_key',
  busy: 'rate_limit_exceeded',
};

/** An error that the proxy answers in the provider's own form. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly kind: ProxyErrorKind;

  constructor(kind: ProxyErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Answers an error; what is still to come of the request is thrown away, for two seconds at most. */
export function sendError(res: ServerResponse, provider: Provider | undefined, { kind, message }: ProxyError): void {
  if (res.headersSent || res.destroyed) {
    res.destroy();
    return;
  }
  const body = JSON.stringify(bodyOf(provider, kind, message));
  res.writeHead(KINDS[kind][0], {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(kind === 'busy' ? { 'retry-after': '1' } : { 'x-should-retry': String(KINDS[kind][0] >= 500) }),
  });
  res.end(body);
  const { req } = res;
  const timer = setTimeout(() => req.destroy(), REST_MS).unref();
  req.once('close', () => clearTimeout(timer)).resume();
}

function bodyOf(provider: Provider | undefined, kind: ProxyErrorKind, message: string): unknown {
  const [code, type, status] = KINDS[kind];
  if (provider === 'anthropic') return { type: 'error', error: { type, message } };
  if (provider === 'google') return { error: { code, message, status } };
  return { error: { message, type, param: null, code: OPENAI_CODES[kind] ?? null } };
}
