import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An upstream that a test controls: a real HTTP server whose answer can be changed at any time. */
export interface FakeUpstream {
  url: string;
  port: number;
  /** Every request so far. */
  requests: { url: string; headers: IncomingMessage['headers'] }[];
  answer: RequestListener;
  /** Answers 200 with this JSON from now on, or 304 to who has it already. */
  serve(document: unknown): void;
  close(): Promise<void>;
}

export async function startUpstream(document: unknown = []): Promise<FakeUpstream> {
  const server = createServer((req, res) => {
    upstream.requests.push({ url: req.url ?? '', headers: req.headers });
    upstream.answer(req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const upstream: FakeUpstream = {
    url: `http://127.0.0.1:${port}/registry.json`,
    port,
    requests: [],
    answer: () => {},
    serve(next) {
      const body = JSON.stringify(next);
      const etag = `"${body.length}-${Math.random()}"`;
      this.answer = (req, res) => {
        if (req.headers['if-none-match'] === etag) res.writeHead(304, { etag }).end();
        else send(res, 200, body, { etag });
      };
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  upstream.serve(document);
  return upstream;
}

export function send(res: ServerResponse, status: number, body: string | Buffer, headers: Record<string, string> = {}) {
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers });
  res.end(body);
}

/** A registry file of `count` skills. */
export function registryOf(count: number, prefix = 'skill'): { skills: unknown[] } {
  const skills = Array.from({ length: count }, (_, at) => ({
    id: `${prefix}-${at}`,
    name: `${prefix}-${at}`,
    description: `Number ${at} of the skills for this test.`,
    category: at % 2 ? 'odd' : 'even',
    tags: ['test', `tag-${at}`],
    author: 'Tester',
    stars: at,
  }));
  return { skills };
}

/** From now on it answers 500. */
export function fails(upstream: FakeUpstream): void {
  upstream.answer = (_req, res) => send(res, 500, '{}');
}
