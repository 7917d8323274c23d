import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Node reads on from a connection until answers pile up, and starts whatever it reads. */
const MAX_WAITING = 100;

/**
 * Counts the requests that wait behind another on their connection: tells whether one may start, and cuts the
 * connection of a client that sends more than 100 ahead.
 */
export function createPipelines(): (res: ServerResponse) => boolean {
  const waiting = new WeakMap<Socket, number>();
  return (res) => {
    const { socket } = res.req;
    const count = waiting.get(socket) ?? 0;
    if (count >= MAX_WAITING) {
      // The rest of what was read with it is still told of, and counts as too much as well.
      socket.destroy();
      return false;
    }
    waiting.set(socket, count + 1);
    res.once('close', () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
    return true;
  };
}
