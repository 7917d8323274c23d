import { connect } from 'node:net';

/**
 * `busy`: it runs, and refuses PING, such as while it loads its data or cannot write them; `silent`: something did not
 * reply in time; `none`: no Redis with that password listens there.
 */
export type PingResult = 'pong' | 'busy' | 'silent' | 'none';

/** Sends PING to a Redis on 127.0.0.1; never rejects. */
export function pingRedis(port: number, password: string, timeoutMs = 1000): Promise<PingResult> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect({ port, host: '127.0.0.1' });
    const finish = (result: PingResult) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(result);
    };
    // After a pause of this process, what has arrived meanwhile goes first.
    const timer = setTimeout(() => setImmediate(finish, 'silent'), timeoutMs);
    socket.on('connect', () => socket.write(`AUTH ${password}\r\nPING\r\n`));
    socket.on('data', (data) => {
      received += data.toString('latin1');
      const result = toResult(received);
      if (result !== undefined) finish(result);
    });
    socket.on('error', () => finish('none'));
    socket.on('close', () => finish('none'));
  });
}

function toResult(received: string): PingResult | undefined {
  const [auth, ping, rest] = received.split('\r\n');
  if (ping === undefined) return undefined;
  if (auth !== '+OK') return 'none';
  if (rest === undefined) return undefined;
  return ping === '+PONG' ? 'pong' : 'busy';
}
