import { connect, type Socket } from 'node:net';
import { until } from '@agent-fleet/shared/testing/until';
import { own } from './owned.ts';

/** A bare connection that remembers all it was sent. */
export class RawClient {
  readonly socket: Socket;
  text = '';
  closed = false;

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.setEncoding('latin1');
    this.socket.on('data', (chunk) => {
      this.text += chunk;
    });
    this.socket.on('error', () => {});
    this.socket.on('close', () => {
      this.closed = true;
    });
    own(() => this.socket.destroy());
  }

  send(text: string): this {
    this.socket.write(text, 'latin1');
    return this;
  }

  /** Waits until what came satisfies `isDone`. @throws when that takes longer than 25 s */
  async until(isDone: (text: string) => boolean): Promise<string> {
    await until(() => isDone(this.text), { message: () => `got ${JSON.stringify(this.text)}` });
    return this.text;
  }

  async untilClosed(): Promise<string> {
    await until(() => this.closed, { message: () => `open still, got ${JSON.stringify(this.text)}` });
    return this.text;
  }
}

/** Sends raw bytes and gives all that came back until the server closed: the last request has to ask for that. */
export function exchangeRaw(port: number, text: string): Promise<string> {
  return new RawClient(port).send(text).untilClosed();
}

export function statusesIn(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
}

/** A GET of this target with these header lines, on a connection of its own. @throws when the connection is cut */
export async function rawGet(url: string, target: string, ...lines: string[]) {
  const request = [`GET ${target} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...lines, '', ''].join('\r\n');
  const [head = ''] = (await exchangeRaw(Number(new URL(url).port), request)).split('\r\n\r\n', 1);
  if (head === '') throw new Error('no response');
  return { status: Number(head.slice(9, 12)), head: head.toLowerCase() };
}
