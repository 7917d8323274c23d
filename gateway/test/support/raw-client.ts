import { connect, type Socket } from 'node:net';
import { own } from '@agent-fleet/scripts/testing/own';
import { until } from '@agent-fleet/shared/testing/until';

/** A plain connection that keeps everything it receives. */
export class RawClient {
  readonly socket: Socket;
  text = '';
  closed = false;

  /** With `allowHalfOpen`, it goes on sending after the server has closed its side. */
  constructor(port: number, { allowHalfOpen = false } = {}) {
    this.socket = connect({ port, host: '127.0.0.1', allowHalfOpen });
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

  /** Waits until the received text satisfies `isDone`. @throws after 25 s */
  async until(isDone: (text: string) => boolean): Promise<string> {
    await until(() => isDone(this.text), { message: () => `got ${JSON.stringify(this.text)}` });
    return this.text;
  }

  async untilClosed(): Promise<string> {
    await until(() => this.closed, { message: () => `open still, got ${JSON.stringify(this.text)}` });
    return this.text;
  }
}

/** Sends raw bytes and returns everything until the server closes: the last request needs `Connection: close`. */
export function exchangeRaw(port: number, text: string): Promise<string> {
  return new RawClient(port).send(text).untilClosed();
}

export function statusesIn(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
}
