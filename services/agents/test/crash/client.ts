import { setTimeout as sleep } from 'node:timers/promises';

const REQUEST_WITHIN_MS = 15_000;
const ANSWER_WITHIN_MS = 90_000;
const PAUSE_MS = 100;

interface Request {
  method: string;
  path: string;
  body?: object;
  key?: string;
}

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: of any operation
  body: any;
  total: number;
}

/** A client as it should be: it asks another replica when one breaks off, and says the same again until it is answered. */
export interface Client {
  /** One try; undefined: nobody knows what has become of it. */
  try(request: Request): Promise<Answer | undefined>;
  /** @throws Error when there is no answer within 90 s */
  ask(request: Request): Promise<Answer>;
}

export function createClient(urls: readonly string[]): Client {
  let turn = 0;

  async function tryOnce({ method, path, body, key }: Request): Promise<Answer | undefined> {
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

    async ask(request) {
      for (const until = Date.now() + ANSWER_WITHIN_MS; Date.now() < until; await sleep(PAUSE_MS)) {
        const answer = await tryOnce(request);
        if (answer && answer.body?.error !== 'idempotent_request_in_progress') return answer;
      }
      throw new Error(`No answer to ${request.method} ${request.path}`);
    },
  };
}
