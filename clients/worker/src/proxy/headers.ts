import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { Provider } from '../runtimes/runtime.ts';

/** Others may choose an account, an organization or a project to bill, or are credentials of the client. */
const REQUEST = new Set(['accept', 'content-type', 'user-agent', 'idempotency-key', 'originator', 'openai-beta']);
const REQUEST_PREFIX = /^(?:anthropic-(?:version|beta)$|x-stainless-|x-codex-|x-goog-api-client$|session[_-]id$)/;

/** Others name the account, set cookies, or are about the connection. */
const RESPONSE = new Set([
  'content-type',
  'content-length',
  'content-encoding',
  'cache-control',
  'date',
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
  'request-id',
  'x-request-id',
]);
const RESPONSE_PREFIX = /^(?:anthropic-ratelimit-|x-ratelimit-)/;

/** Headers of a request to a provider, with its own key. The response is to be uncompressed, so that it can be read. */
export function toUpstream(headers: IncomingHttpHeaders, provider: Provider, key: string): OutgoingHttpHeaders {
  return {
    ...pick(headers, (name) => REQUEST.has(name) || REQUEST_PREFIX.test(name)),
    'accept-encoding': 'identity',
    ...CREDENTIALS[provider](key),
  };
}

const CREDENTIALS: Readonly<Record<Provider, (key: string) => OutgoingHttpHeaders>> = {
  anthropic: (key) => ({ 'x-api-key': key }),
  openai: (key) => ({ authorization: `Bearer ${key}` }),
  google: (key) => ({ 'x-goog-api-key': key }),
};

export function toClient(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return pick(headers, (name) => RESPONSE.has(name) || RESPONSE_PREFIX.test(name));
}

function pick(headers: IncomingHttpHeaders, isKept: (name: string) => boolean): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isKept(name)));
}

/** The keys that a client sent, in any of the places that the providers' clients use. */
export function keysOf(headers: IncomingHttpHeaders, query: URLSearchParams): string[] {
  const bearer = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
  const named = [headers['x-api-key'], headers['x-goog-api-key']].flat();
  return [bearer, ...named, query.get('key')].filter((key) => typeof key === 'string' && key !== '') as string[];
}
