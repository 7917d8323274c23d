import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** While responses are outstanding, Node keeps reading pipelined requests from a connection and starts them. */
const MAX_WAITING = 100;

/**
 * Counts the requests that wait behind another one on their connection. Returns whether a request may start; a
 * connection with more than 100 waiting requests is closed.
 */
export function createPipelines(): (res: ServerResponse) => boolean {
  const waiting = new WeakMap<Socket, number>();
  return (res) => {
    const { socket } = res.req;
    const count = waiting.get(socket) ?? 0;
    if (count >= MAX_WAITING) {
      // Node still emits the requests that it has already read; they are refused the same way.
      socket.destroy();
      return false;
    }
    waiting.set(socket, count + 1);
    res.once('close', () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
    return true;
  };
}
