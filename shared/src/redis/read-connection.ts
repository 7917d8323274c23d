import type { Socket } from 'node:net';
import type { Cluster, Redis } from 'ioredis';
import { isRead } from './command-kinds.ts';
import { masterOf } from './newest-master.ts';

/**
 * Sends what only reads on a connection of its own, `reads`: WAIT blocks the connection of the writes. It goes on
 * working while replicas are lost, and is closed with `client`.
 */
export function readOn<Client extends Redis | Cluster>(reads: Redis | Cluster, client: Client): Client {
  const send: Cluster['sendCommand'] = client.sendCommand.bind(client);
  client.sendCommand = (...sent: Parameters<Cluster['sendCommand']>) => {
    const [command, stream] = sent;
    return !stream && reads.status === 'ready' && isRead(command) ? reads.sendCommand(command) : send(...sent);
  };
  // After a failover, a master that is cut off would serve old records.
  client.on('ready', () => {
    if (reads.status === 'ready' && addressOf(reads) !== addressOf(client)) reads.disconnect(true);
  });
  // It has asked the sentinels later.
  reads.on('ready', () => {
    if (client.status === 'ready' && masterOf(client) !== masterOf(reads)) client.disconnect(true);
  });
  client.once('end', () => reads.disconnect());
  return client;
}

/** A cluster finds its masters by itself. */
function addressOf(client: Redis | Cluster): string | undefined {
  if (!('stream' in client)) return undefined;
  const { remoteAddress, remotePort } = client.stream as Socket;
  return `${remoteAddress} ${remotePort}`;
}
