import { connect } from 'node:net';

/** `none`: no Redis with that password listens there; `silent`: something listens and did not reply in time. */
export type PingAnswer = 'pong' | 'loading' | 'silent' | 'none';

/** Sends PING to a Redis on 127.0.0.1; never rejects. */
export function pingRedis(port: number, password: string, timeoutMs = 1000): Promise<PingAnswer> {
  return new Promise((resolve) => {
    let said = '';
    let connected = false;
    const socket = connect({ port, host: '127.0.0.1' });
    const finish = (answer: PingAnswer) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => finish(connected && said === '' ? 'silent' : 'none'), timeoutMs);
    socket.on('connect', () => {
      connected = true;
      socket.write(`AUTH ${password}\r\nPING\r\n`);
    });
    socket.on('data', (data) => {
      said += data.toString('latin1');
      const answer = toAnswer(said);
      if (answer !== undefined) finish(answer);
    });
    socket.on('error', () => finish('none'));
    socket.on('close', () => finish('none'));
  });
}

function toAnswer(said: string): PingAnswer | undefined {
  const [auth, ping, rest] = said.split('\r\n');
  if (ping === undefined) return undefined;
  if (auth !== '+OK') return 'none';
  if (rest === undefined) return undefined;
  if (ping === '+PONG') return 'pong';
  return ping.startsWith('-LOADING') ? 'loading' : 'none';
}
