import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Read from a connection that is being closed, and discarded: what a client had sent before it reads the response. */
const MAX_DISCARDED_BYTES = 64 * 1024;
/** How long the client may take to read the response and to close the connection itself. */
const LINGER_MS = 1_500;

const discarding = new WeakSet<Socket>();

/** Takes the connection from Node's parser: no further request is read from it, and of its bytes at most 64 KiB. */
export function stopParsing(socket: Socket): void {
  if (discarding.has(socket)) return;
  discarding.add(socket);
  let left = MAX_DISCARDED_BYTES;
  // The listener of the HTTP server; with another one in its place Node no longer reads the connection in the parser
  // itself.
  socket.removeAllListeners('data');
  socket.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) socket.pause();
  });
}

/**
 * Closes a connection whose request has not been read whole (RFC 9112 section 9.6): closed at once, with bytes unread,
 * it would be reset, and the client could lose the response. Ends it after `lastBytes`, and destroys it 1.5 s later.
 */
export function closeLingering(socket: Socket, lastBytes = ''): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  stopParsing(socket);
  socket.end(lastBytes, () => {
    const deadline = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(deadline));
  });
  socket.resume();
}

/**
 * Closes the connection after a response that begins before its request has been read whole: the rest may be of any
 * length.
 */
export function closeAfterEarlyResponse(res: ServerResponse): void {
  const { req } = res;
  const { socket } = req;
  const writeHead = res.writeHead as (...head: unknown[]) => ServerResponse;
  // Express and Node write every head by it.
  res.writeHead = (...head: unknown[]) => {
    if (!req.complete) {
      res.shouldKeepAlive = false;
      // Called by Node after the last response of a connection.
      socket.destroySoon = () => closeLingering(socket);
    }
    return writeHead.apply(res, head);
  };
}
