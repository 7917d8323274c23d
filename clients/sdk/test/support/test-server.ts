import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach } from '@jest/globals';

interface Received {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** What one request is answered with; `cut` closes the connection, `silence` leaves it open. */
export type Answer =
  | { status?: number; headers?: Record<string, string>; json?: unknown; text?: string }
  | 'cut'
  | 'silence'
  | ((response: ServerResponse, request: Received) => void);

/** A server that gives each test the answers that it has queued, then `{}`; on a real connection. */
export async function useServer() {
  const received: Received[] = [];
  let answers: Answer[] = [];
  const server = createServer(async (request, response) => {
    const body = (await request.toArray().catch(() => [])).join('');
    const { method = '', url = '', headers } = request;
    received.push({ method, url, headers, body });
    respond(response, answers.shift() ?? { json: {} }, received.at(-1) as Received);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  beforeEach(() => {
    received.length = 0;
    answers = [];
  });
  afterAll(async () => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    answer: (...next: Answer[]) => void answers.push(...next),
    answerAll: (next: Answer) => void answers.push(...Array(1_000).fill(next)),
    cutConnections: () => server.closeAllConnections(),
  };
}

function respond(response: ServerResponse, answer: Answer, request: Received): void {
  if (answer === 'silence') return;
  if (answer === 'cut') response.destroy();
  else if (typeof answer === 'function') answer(response, request);
  else {
    const { status = 200, headers = {}, json, text = json === undefined ? '' : JSON.stringify(json) } = answer;
    response.writeHead(status, { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers });
    response.end(text);
  }
}
