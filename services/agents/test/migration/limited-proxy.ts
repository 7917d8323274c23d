import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A Redis to which its clients can send so many bytes. */
export interface LimitedProxy extends AsyncDisposable {
  url: string;
  /** Resolves when the limit is reached. */
  reached: Promise<void>;
}

/** Passes `bytes` from all clients together on to Redis and then nothing more: a command may be cut anywhere. */
export async function startLimitedProxy(redisUrl: string, bytes: number): Promise<LimitedProxy> {
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  const sockets = new Set<Socket>();
  let left = bytes;
  const { hostname, port } = new URL(redisUrl);
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => {}));
    upstream.pipe(client);
    client.on('data', (chunk: Buffer) => {
      upstream.write(chunk.subarray(0, Math.max(left, 0)));
      left -= chunk.length;
      if (left <= 0) resolve();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(redisUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    reached,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
