import { connect } from 'node:net';

export interface RawAnswer {
  status: number;
  head: string;
  body: string;
}

/** Sends text as it stands and reads until the server closes, as the text must ask for; for what HTTP clients mend or refuse. */
function rawRequest(url: string, text: string): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let received = '';
    socket.setEncoding('latin1');
    socket.on('data', (data) => {
      received += data;
    });
    socket.on('error', reject);
    socket.on('close', () => {
      const [head = '', body = ''] = received.split('\r\n\r\n', 2);
      resolve({ status: Number(head.slice(9, 12)), head: head.toLowerCase(), body });
    });
  });
}

/** A GET of this target with these header lines, on a connection of its own. */
export function rawGet(url: string, target: string, ...lines: string[]): Promise<RawAnswer> {
  return rawRequest(
    url,
    [`GET ${target} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...lines, '', ''].join('\r\n'),
  );
}
