import { Agent, type IncomingMessage, request as startRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import type { LoadRequest } from '../load/load.ts';

/** Sends single requests over kept-alive connections: requests that a load generator cannot count, time or hold. */
export interface Client {
  /** Returns the JSON of the response. @throws if the status is not the expected one of the request */
  send<Body>(request: LoadRequest): Promise<Body>;
  /** Aborts the requests in flight. */
  close(): void;
}

/** Sends `headers` with each request. After `signal` is aborted, `send` throws. */
export function createClient(port: number, headers: Record<string, string>, signal: AbortSignal): Client {
  const agent = new Agent({ keepAlive: true });
  return {
    async send<Body>({ method = 'GET', path, body, status = 200 }: LoadRequest) {
      signal.throwIfAborted();
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const type = body === undefined ? {} : { 'content-type': 'application/json' };
        const options = { host: '127.0.0.1', port, agent, method, path, headers: { ...headers, ...type } };
        startRequest(options, resolve).on('error', reject).end(body);
      });
      const received = await text(response);
      if (response.statusCode !== status) throw new Error(`${method} ${path}: ${response.statusCode} ${received}`);
      return (received ? JSON.parse(received) : undefined) as Body;
    },
    close: () => agent.destroy(),
  };
}

/** Runs `action` `count` times, `width` at a time, and returns all results. */
export async function repeat<T>(count: number, width: number, action: (at: number) => Promise<T>): Promise<T[]> {
  const all = new Array<T>(count);
  let next = 0;
  const loop = async () => {
    for (let at = next++; at < count; at = next++) all[at] = await action(at);
  };
  await Promise.all(Array.from({ length: width }, loop));
  return all;
}
