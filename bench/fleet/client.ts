import { Agent, type IncomingMessage, request as startRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import type { LoadRequest } from '../load/load.ts';

/** Sends single requests, over connections that stay open: what a load generator cannot count, time or hold. */
export interface Client {
  /** Gives the answer's JSON. @throws when the status is not the request's */
  send<Answer>(request: LoadRequest): Promise<Answer>;
  /** Breaks off what is under way. */
  close(): void;
}

/** `headers` go with each request; once `signal` has aborted, none is sent. */
export function createClient(port: number, headers: Record<string, string>, signal: AbortSignal): Client {
  const agent = new Agent({ keepAlive: true });
  return {
    async send<Answer>({ method = 'GET', path, body, status = 200 }: LoadRequest) {
      signal.throwIfAborted();
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const type = body === undefined ? {} : { 'content-type': 'application/json' };
        const options = { host: '127.0.0.1', port, agent, method, path, headers: { ...headers, ...type } };
        startRequest(options, resolve).on('error', reject).end(body);
      });
      const said = await text(answer);
      if (answer.statusCode !== status) throw new Error(`${method} ${path}: ${answer.statusCode} ${said}`);
      return (said ? JSON.parse(said) : undefined) as Answer;
    },
    close: () => agent.destroy(),
  };
}

/** Does something `count` times, `width` at once, and gives what came of each. */
export async function repeat<T>(count: number, width: number, action: (at: number) => Promise<T>): Promise<T[]> {
  const all = new Array<T>(count);
  let next = 0;
  const loop = async () => {
    for (let at = next++; at < count; at = next++) all[at] = await action(at);
  };
  await Promise.all(Array.from({ length: width }, loop));
  return all;
}
