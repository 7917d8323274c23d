import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpError } from '../errors.ts';
import { REQUEST_ID_HEADER } from '../request-id.ts';
import { closeLingering, stopParsing } from './lingering-close.ts';

/** Deadline for the responses to earlier requests of the connection. */
const MAX_WAIT_MS = 30_000;

/** The same when the client has closed its side: it has usually closed the whole connection. */
const MAX_WAIT_AFTER_FIN_MS = 5_000;

const REASONS: Record<number, string> = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

/** A response of the server itself. */
export interface Refusal {
  socket: Socket;
  requestId: string;
  error: HttpError;
  /** Set when a request had begun, which then was not read to its end. */
  begun: ServerResponse | undefined;
}

export interface RefusalOptions {
  /** The headers of an error that is written to a bare socket, names and values in turn. Default: the request id. */
  commonHeaders?: (locals: { requestId: string }) => string[];
  /** Called for each error that is written to a bare socket, for the access log. */
  onRefused?: (refusal: Refusal) => void;
}

const refused = new WeakSet<Socket>();

/**
 * Responds on the plain socket to an invalid request, or to the invalid body of `broken`, and closes the connection,
 * because the bytes that follow cannot be trusted. Earlier requests get their responses first, within 30 s.
 */
export function refuseConnection(
  socket: Socket,
  error: HttpError,
  options: RefusalOptions,
  broken?: IncomingMessage,
): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  if (refused.has(socket)) return;
  refused.add(socket);
  stopParsing(socket);
  const deadline = setTimeout(() => socket.destroy(), MAX_WAIT_MS);
  socket.once('close', () => clearTimeout(deadline));
  afterResponses(socket, broken, () => refuse(socket, error, options));
}

/** Closes a connection whose client has closed its side, within 5 s, after the responses that `answers` accepts. */
export function closeAfterFin(socket: Socket, answers: (res: ServerResponse) => boolean): void {
  const current = currentResponse(socket);
  // An incomplete request has been refused.
  if (!current?.req.complete || !socket.writable) return;
  if (!answers(current)) {
    socket.end();
    return;
  }
  const deadline = setTimeout(() => socket.destroy(), MAX_WAIT_AFTER_FIN_MS);
  socket.once('close', () => clearTimeout(deadline));
}

/** Calls back when the complete requests of a connection have been answered. */
function afterResponses(socket: Socket, broken: IncomingMessage | undefined, callback: () => void): void {
  const current = currentResponse(socket);
  if (!current?.req.complete || current.req === broken || current.closed) callback();
  else current.once('close', () => afterResponses(socket, broken, callback));
}

function refuse(
  socket: Socket,
  error: HttpError,
  { commonHeaders = ({ requestId }) => [REQUEST_ID_HEADER, requestId], onRefused }: RefusalOptions,
): void {
  const { status, body, headers } = error;
  const begun = currentResponse(socket);
  if (!socket.writable || begun?.headersSent) {
    // A response that ended before its request was complete closes the connection itself.
    if (!begun?.writableEnded) socket.destroy();
    return;
  }
  const text = JSON.stringify(body);
  const requestId = begun?.locals?.requestId ?? randomUUID();
  const head = [
    ...commonHeaders({ requestId }),
    ...Object.entries(headers).flat(),
    ...['content-type', 'application/json; charset=utf-8', 'content-length', String(Buffer.byteLength(text))],
    ...['connection', 'close'],
  ];
  const lines = head.map((part, at) => (at % 2 === 0 ? `${part}: ` : `${part}\r\n`));
  closeLingering(socket, `HTTP/1.1 ${status} ${REASONS[status]}\r\n${lines.join('')}\r\n${text}`);
  onRefused?.({ socket, requestId, error, begun });
}

/** A response, and what Express's handlers know of it once it has begun. */
type Begun = ServerResponse & { locals?: { requestId?: string } };

function currentResponse(socket: Socket & { _httpMessage?: Begun | null }): Begun | undefined {
  return socket._httpMessage ?? undefined;
}
