import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Bytes discarded from a connection that is being closed: a client may send them before it reads the response. */
const MAX_DISCARDED_BYTES = 64 * 1024;
/** How long the client may take to read the response and to close the connection itself. */
const LINGER_MS = 1_500;

const discarding = new WeakSet<Socket>();

/** Detaches the connection from Node's parser: no further request is read, and at most 64 KiB are discarded. */
export function stopParsing(socket: Socket): void {
  if (discarding.has(socket)) return;
  discarding.add(socket);
  let left = MAX_DISCARDED_BYTES;
  // The HTTP server's listener. With another listener, Node no longer reads the connection in native code.
  socket.removeAllListeners('data');
  socket.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) socket.pause();
  });
}

/**
 * Closes a connection whose request has not been read completely (RFC 9112 section 9.6). Closing it at once, with
 * unread bytes, would reset it, and the client could lose the response. Half-closes it after `lastBytes`, and destroys
 * it 1.5 s later.
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

/** Closes the connection after a response that begins before its request is complete: the rest has any length. */
export function closeAfterEarlyResponse(res: ServerResponse): void {
  const { req } = res;
  const { socket } = req;
  const writeHead = res.writeHead as (...head: unknown[]) => ServerResponse;
  // Express and Node write all heads with it.
  res.writeHead = (...head: unknown[]) => {
    if (!req.complete) {
      res.shouldKeepAlive = false;
      // Called by Node after the last response of a connection.
      socket.destroySoon = () => closeLingering(socket);
    }
    return writeHead.apply(res, head);
  };
}
