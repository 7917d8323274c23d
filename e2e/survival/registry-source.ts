import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { REGISTRY_FILE } from '../spec/registry-file.ts';

/** An upstream registry that can go away. */
export interface RegistrySource {
  url: string;
  goAway(): void;
}

export async function startRegistrySource(): Promise<RegistrySource> {
  const server = createServer((_req, res) => res.setHeader('content-type', 'application/json').end(REGISTRY_FILE));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/registry.json`,
    goAway: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
