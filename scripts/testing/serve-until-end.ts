import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { own } from './own.ts';

/** Serves HTTP on a free port of 127.0.0.1 until the test ends. Returns the base URL. */
export async function serveUntilEnd(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  own(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
