import { connect } from 'node:net';

/** `none`: no Redis with that password listens there; `silent`: something listens and did not reply in time. */
export type PingResult = 'pong' | 'loading' | 'silent' | 'none';

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
    // Where nothing listens, the error comes at once: what has not told of its connection yet is something.
    const timer = setTimeout(() => finish(received === '' ? 'silent' : 'none'), timeoutMs);
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
  if (ping === '+PONG') return 'pong';
  return ping.startsWith('-LOADING') ? 'loading' : 'none';
}
