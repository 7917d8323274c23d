import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A Redis whose connections break. */
export interface CutProxy extends AsyncDisposable {
  url: string;
  /** Whether the limit was reached. */
  isCut(): boolean;
}

/**
 * Passes `bytes` on to Redis, then breaks all connections and refuses others: a command may be cut anywhere, and the
 * reply to one that Redis has run may be lost.
 */
export async function startCutProxy(redisUrl: string, bytes: number): Promise<CutProxy> {
  const { hostname, port } = new URL(redisUrl);
  const sockets = new Set<Socket>();
  let left = bytes;
  const destroyAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    if (left <= 0) {
      client.destroy();
      return;
    }
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => {}));
    upstream.pipe(client);
    client.on('data', (chunk: Buffer) => {
      const passed = chunk.subarray(0, Math.max(left, 0));
      left -= chunk.length;
      upstream.write(passed, () => {
        if (left <= 0) destroyAll();
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(redisUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    isCut: () => left <= 0,
    async [Symbol.asyncDispose]() {
      destroyAll();
      server.close();
      await once(server, 'close');
    },
  };
}
