import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Request {
  method: string;
  path: string;
  body?: object;
  headers?: Record<string, string>;
}

export interface Reply<Body = unknown> {
  status: number;
  body: Body;
  etag?: string;
  /** `X-Total-Count` of a list. */
  total?: number;
}

const agent = new Agent({ keepAlive: true });

/** Uses node:http, which costs a fraction of fetch: histories and load tests send many requests. */
export function send<Body>(port: number, { method, path, body, headers }: Request): Promise<Reply<Body>> {
  const content = body && JSON.stringify(body);
  const sent = content ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) } : {};
  const options = { host: '127.0.0.1', port, method, path, agent, headers: { ...headers, ...sent } };
  return new Promise((resolve, reject) => {
    const req = request({ ...options, timeout: 30_000 }, (res) => {
      const { 'x-total-count': total, etag } = res.headers;
      const status = res.statusCode as number;
      const toReply = (received: string) =>
        resolve({ status, body: received && JSON.parse(received), etag, ...(total && { total: Number(total) }) });
      text(res).then(toReply).catch(reject);
    });
    req.on('timeout', () => req.destroy(new Error(`No response to ${method} ${path}`)));
    req.on('error', reject);
    req.end(content);
  });
}
