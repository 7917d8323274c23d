import { type ClientRequest, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { toClient } from './headers.ts';
import { ProxyError } from './provider-errors.ts';

/** More of an error's body is cut off. */
const MAX_ERROR_BYTES = 256 * 1024;

export interface Deadlines {
  /** Until the headers of the response. */
  firstByteMs: number;
  /** Between two pieces of the response, or while the client does not read. */
  idleMs: number;
}

export interface Forwarded {
  url: URL;
  method: string;
  headers: RequestOptions['headers'];
  body: Buffer | undefined;
  /** The provider's key, which no error's body may show. */
  key: string;
  /** Aborted when the client goes away, or the attempt ends. */
  signal: AbortSignal;
  deadlines: Deadlines;
  /** Called once, with the headers of a response that is not an error; returns what is to see each piece. */
  onResponse(response: IncomingMessage): (chunk: Buffer) => void;
}

/**
 * Sends a request on, and its response back piece by piece as they come, no faster than the client reads. Redirects are
 * not followed. @throws ProxyError `unreachable` or `late` while the client has no headers yet, else any error
 */
export async function forward(request: Forwarded, res: ServerResponse): Promise<void> {
  const { deadlines, signal } = request;
  const deadline = createDeadline(signal);
  try {
    deadline.set(deadlines.firstByteMs);
    const response = await respond(request, deadline.signal);
    deadline.set(deadlines.idleMs);
    const status = response.statusCode ?? 0;
    if (status >= 300 && status < 400) {
      response.destroy();
      throw new ProxyError('unreachable', `The provider answered with a redirect (${status}), which is not followed`);
    }
    if (status >= 400) return await sendFailure(request, response, res);
    const onChunk = request.onResponse(response);
    const tap = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        deadline.set(deadlines.idleMs);
        onChunk(chunk);
        done(null, chunk);
      },
    });
    res.writeHead(status, toClient(response.headers));
    res.flushHeaders();
    await pipeline(response, tap, res, { signal: deadline.signal });
  } finally {
    deadline.clear();
  }
}

/** Aborts with a ProxyError `late` when its time is over. */
function createDeadline(parent: AbortSignal) {
  const own = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  return {
    signal: AbortSignal.any([parent, own.signal]),
    set(ms: number): void {
      clearTimeout(timer);
      const late = new ProxyError('late', `The provider did not answer within ${Math.round(ms / 1000)} s`);
      timer = setTimeout(() => own.abort(late), ms);
    },
    clear: () => clearTimeout(timer),
  };
}

/** The response's headers. A connection that was kept may have been closed meanwhile: then a new one is tried, once. */
async function respond(request: Forwarded, signal: AbortSignal): Promise<IncomingMessage> {
  for (let attempt = 1; ; attempt++) {
    const { url, method, headers, body } = request;
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const call = send(url, { method, headers: { ...headers, ...(body && { 'content-length': body.length }) }, signal });
    try {
      return await responseOf(call, body);
    } catch (error) {
      signal.throwIfAborted();
      if (attempt === 1 && call.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET') continue;
      // The message of the system names the address only.
      throw new ProxyError('unreachable', `The provider cannot be reached: ${(error as Error).message || error}`);
    }
  }
}

function responseOf(call: ClientRequest, body: Buffer | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    call.on('response', resolve).on('error', reject);
    call.end(body);
  });
}

/** Passes an error on with its status; a server may repeat the key it was given. */
async function sendFailure({ key }: Forwarded, response: IncomingMessage, res: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_ERROR_BYTES) break;
  }
  const headers = toClient(response.headers);
  const isReadable = headers['content-encoding'] === undefined || headers['content-encoding'] === 'identity';
  const text = Buffer.concat(chunks).subarray(0, MAX_ERROR_BYTES).toString();
  const body = isReadable ? text.replaceAll(key, '[redacted]') : '';
  delete headers['content-encoding'];
  headers['content-length'] = Buffer.byteLength(body);
  res.writeHead(response.statusCode ?? 502, headers).end(body);
}
