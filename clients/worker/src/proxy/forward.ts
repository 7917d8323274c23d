import {
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { pipeline as connect, type Readable, Transform, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { createByteList } from '../pieces.ts';
import { createRedactor, type Redactor } from '../redaction.ts';
import { toClient } from './operations.ts';
import { ProxyError } from './provider-errors.ts';
import { MAX_WAIT_MS, retryAt } from './rate-limits.ts';

/** More of an error's body is cut off. */
const MAX_ERROR_BYTES = 256 * 1024;

export interface Deadlines {
  /** Until the headers of the response. */
  firstByteMs: number;
  /** Between two pieces of the response, or while the client does not read. */
  idleMs: number;
}

interface Forwarded {
  url: URL;
  method: string;
  headers: RequestOptions['headers'];
  body: Buffer | undefined;
  /** The provider's key, which no response may show: some servers repeat what they were given. */
  key: string;
  /** Aborted when the client goes away, or the attempt ends. */
  signal: AbortSignal;
  deadlines: Deadlines;
  /** Called once, with the headers of a response that is not an error; returns what is to see each piece. */
  onResponse(response: IncomingMessage): (chunk: Buffer) => void;
  /**
   * Called when the provider takes no calls with this key for longer than a program should wait; ms since 1970. Returns
   * whether the request goes on with another key, so that this response is for nobody.
   */
  onLimited(until: number): boolean;
}

/**
 * Sends a request on, and its response back piece by piece as they come, no faster than the client reads. Redirects are
 * not followed. Resolves with whether the response was sent.
 * @throws ProxyError `unreachable` or `late` while the client has no headers yet, else any error
 */
export async function forward(request: Forwarded, res: ServerResponse): Promise<boolean> {
  const { deadlines, signal } = request;
  const deadline = createDeadline(signal);
  try {
    deadline.set(deadlines.firstByteMs);
    const response = await respond(request, deadline.signal);
    deadline.set(deadlines.idleMs);
    const status = response.statusCode ?? 0;
    if (status < 200 || (status >= 300 && status < 400)) {
      response.destroy();
      throw new ProxyError('unreachable', `The provider answered with ${status}, which is not followed`);
    }
    const redactor = createRedactor([request.key]);
    const body = decoded(response);
    if (status >= 400) return await sendFailure(response, body, { redactor, onLimited: request.onLimited }, res);
    const onChunk = request.onResponse(response);
    const seen = (chunk: Buffer) => {
      deadline.set(deadlines.idleMs);
      onChunk(chunk);
    };
    res.writeHead(status, headersOf(response, redactor));
    res.flushHeaders();
    await pipeline(body, createTap(redactor, seen), res, { signal: deadline.signal });
    return true;
  } finally {
    deadline.clear();
  }
}

/** Shows each piece, and passes it on without the key. */
function createTap(redactor: Redactor, seen: (chunk: Buffer) => void): Transform {
  const decoder = new StringDecoder('utf8');
  const text = redactor.stream();
  return new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      seen(chunk);
      done(null, text.add(decoder.write(chunk)));
    },
    flush(done: TransformCallback) {
      done(null, text.add(decoder.end()) + text.end());
    },
  });
}

/** The body is sent in another form and length. */
function headersOf(response: IncomingMessage, redactor: Redactor): OutgoingHttpHeaders {
  const { 'content-encoding': _, 'content-length': __, ...headers } = toClient(response.headers);
  return redactor.json(headers) as OutgoingHttpHeaders;
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
    // Without a response, as when the provider changes the protocol.
    call.on('close', () => reject(new Error('the connection has ended')));
    call.end(body);
  });
}

/** Passes an error on with its status; one that is to be waited for long, as final. What is cut off may begin a key. */
async function sendFailure(
  response: IncomingMessage,
  body: Readable,
  { redactor, onLimited }: Pick<Forwarded, 'onLimited'> & { redactor: Redactor },
  res: ServerResponse,
): Promise<boolean> {
  const bytes = createByteList();
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes.add(chunk);
    length += chunk.length;
    if (length > MAX_ERROR_BYTES) break;
  }
  const text = redactor.stream();
  const begin = text.add(bytes.bytes().subarray(0, MAX_ERROR_BYTES).toString());
  const sent = length > MAX_ERROR_BYTES ? begin : begin + text.end();
  const status = response.statusCode ?? 502;
  const headers = { ...headersOf(response, redactor), 'content-length': Buffer.byteLength(sent) };
  const until = retryAt(status, response.headers, sent);
  if (until !== undefined && until > Date.now() + MAX_WAIT_MS) {
    if (onLimited(until)) return false;
    // Some would wait for hours, without a word.
    delete headers['retry-after'];
    Object.assign(headers, { 'x-should-retry': 'false' });
  }
  res.writeHead(status, headers).end(sent);
  return true;
}

const DECODERS = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** The body of a response, also of a server that compresses it unasked. @throws ProxyError `unreachable` */
function decoded(response: IncomingMessage): Readable {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity') return response;
  const decoder = DECODERS.get(encoding)?.();
  if (decoder !== undefined) return connect(response, decoder, () => {});
  response.destroy();
  throw new ProxyError('unreachable', `The provider's response is in an unknown encoding: ${encoding.slice(0, 40)}`);
}
