import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { Provider } from '../runtimes/runtime.ts';

/** The form of a response, and so of its usage. */
export type Api = 'messages' | 'responses' | 'gemini';

export interface Operation {
  /** Absent: the provider does not charge for it. */
  api?: Api;
  /** Named by the path; the other providers name it in the body. */
  model?: string;
}

const MODEL = '[A-Za-z0-9][A-Za-z0-9._-]*';

/**
 * All that an agent may ask for. No files, batches, caches, fine-tuning or administration: those outlive the attempt,
 * belong to the account, or cost money that no response reports.
 */
const OPERATIONS: Readonly<Record<Provider, readonly { method: string; path: RegExp; api?: Api }[]>> = {
  anthropic: [
    { method: 'POST', path: /^\/v1\/messages$/, api: 'messages' },
    { method: 'POST', path: /^\/v1\/messages\/count_tokens$/ },
    { method: 'GET', path: new RegExp(`^/v1/models(?:/${MODEL})?$`) },
  ],
  openai: [
    { method: 'POST', path: /^\/v1\/responses$/, api: 'responses' },
    { method: 'GET', path: new RegExp(`^/v1/models(?:/${MODEL})?$`) },
  ],
  google: [
    {
      method: 'POST',
      path: new RegExp(`^/v1(?:beta)?/models/(?<model>${MODEL}):(?:generateContent|streamGenerateContent)$`),
      api: 'gemini',
    },
    { method: 'POST', path: new RegExp(`^/v1(?:beta)?/models/${MODEL}:countTokens$`) },
    { method: 'GET', path: new RegExp(`^/v1(?:beta)?/models(?:/${MODEL})?$`) },
  ],
};

/** Query parameters that are passed on; keys and tokens of the client are not among them. */
const PARAMETERS: readonly string[] = [
  'alt',
  'beta',
  'limit',
  'after_id',
  'before_id',
  'pageSize',
  'pageToken',
  'client_version',
];

/** The operation of a path, which must be in its canonical form: no escapes, no dots. Undefined: not allowed. */
export function operationOf(provider: Provider, method: string, path: string): Operation | undefined {
  for (const operation of OPERATIONS[provider]) {
    const match = operation.method === method && operation.path.exec(path);
    if (match) return { api: operation.api, model: match.groups?.model };
  }
  return undefined;
}

/** The address of an operation at a provider, whose base URL may end with the version that the path begins with. */
export function upstreamUrl(baseUrl: string, path: string, query: URLSearchParams): URL {
  const url = new URL(baseUrl);
  const base = url.pathname.replace(/\/+$/, '');
  const version = /^\/v1(?:beta)?(?=\/)/.exec(path)?.[0] ?? '';
  url.pathname = base.endsWith(version) ? base + path.slice(version.length) : base + path;
  url.search = new URLSearchParams([...query].filter(([name]) => PARAMETERS.includes(name))).toString();
  return url;
}

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
