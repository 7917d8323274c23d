import { setTimeout as sleep } from 'node:timers/promises';

const REQUEST_WITHIN_MS = 30_000;
const RESPONSE_WITHIN_MS = 180_000;
const PAUSE_MS = 100;

interface Request {
  method: string;
  path: string;
  body?: object;
  key?: string;
}

export interface Answer<Body = unknown> {
  status: number;
  body: Body;
  total: number;
}

/** A client that retries at another replica until it gets a response. */
export interface Client {
  /** One try; undefined when its outcome is unknown. */
  try<Body = unknown>(request: Request): Promise<Answer<Body> | undefined>;
  /** @throws Error when there is no response within 180 s */
  ask<Body = unknown>(request: Request): Promise<Answer<Body>>;
}

export function createClient(urls: readonly string[]): Client {
  let turn = 0;

  async function tryOnce<Body>({ method, path, body, key }: Request): Promise<Answer<Body> | undefined> {
    const url = `${urls[turn++ % urls.length]}${path}`;
    const headers = {
      ...(body && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    };
    try {
      const signal = AbortSignal.timeout(REQUEST_WITHIN_MS);
      const response = await fetch(url, { method, headers, body: body && JSON.stringify(body), signal });
      const text = await response.text();
      const answer = {
        status: response.status,
        body: text === '' ? undefined : JSON.parse(text),
        total: Number(response.headers.get('x-total-count')),
      };
      return answer.status >= 500 ? undefined : answer;
    } catch {
      return undefined;
    }
  }

  return {
    try: tryOnce,

    async ask<Body>(request: Request) {
      for (const until = Date.now() + RESPONSE_WITHIN_MS; Date.now() < until; await sleep(PAUSE_MS)) {
        const answer = await tryOnce<Body>(request);
        if (answer && !isInProgress(answer)) return answer;
      }
      throw new Error(`No response to ${request.method} ${request.path}`);
    },
  };
}

function isInProgress({ status, body }: Answer): boolean {
  return status === 409 && (body as { error?: string }).error === 'idempotent_request_in_progress';
}
