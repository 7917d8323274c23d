import { connect } from 'node:net';

const DEADLINE_MS = 60_000;

/**
 * What a server says to the bytes given, until it closes the connection: for requests that no client library would
 * send.
 */
export function sendRaw(baseUrl: string, bytes: string): Promise<string> {
  const { hostname: host, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    let said = '';
    const socket = connect({ host, port: Number(port || 80) }, () => socket.write(bytes, 'latin1'));
    socket.setTimeout(DEADLINE_MS, () => socket.destroy(new Error(`The connection stays open after: ${said}`)));
    socket.on('data', (data) => {
      said += data.toString();
    });
    socket.on('close', () => resolve(said));
    socket.on('error', (error) => (said === '' ? reject(error) : resolve(said)));
  });
}
