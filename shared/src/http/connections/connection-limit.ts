import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionLimit {
  /** Open connections per client, in this process. */
  maxPerClient: number;
  /** The client that an address belongs to; undefined for one without a limit. */
  clientOf(address: string): string | undefined;
}

/** Closes connections above a client's limit at once, so that one client cannot take all connections. */
export function limitConnections(server: Server, { maxPerClient, clientOf }: ConnectionLimit): void {
  const open = new Map<string, number>();

  function leave(client: string): void {
    const left = (open.get(client) ?? 1) - 1;
    if (left > 0) open.set(client, left);
    else open.delete(client);
  }

  server.prependListener('connection', (socket: Socket) => {
    const client = clientOf(socket.remoteAddress ?? '');
    if (client === undefined) return;
    const count = open.get(client) ?? 0;
    if (count >= maxPerClient) {
      socket.destroy();
      return;
    }
    open.set(client, count + 1);
    socket.once('close', () => leave(client));
  });
}
