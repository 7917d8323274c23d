import { connect } from 'node:net';
import { startTcpUpstream } from './proxy.ts';

/** Forwards a port to a real server, so that the server can disappear and return. */
export async function forwardTo(url: string, port: number) {
  const target = new URL(url);
  return await startTcpUpstream((client) => {
    const upstream = connect(Number(target.port), target.hostname).on('error', () => client.destroy());
    client.on('close', () => upstream.destroy());
    client.pipe(upstream).pipe(client);
  }, port);
}
