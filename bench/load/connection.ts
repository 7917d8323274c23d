import { connect, type Socket } from 'node:net';

const HEAD_END = '\r\n\r\n';

export interface ConnectionEvents {
  /** The response is complete, and the connection is free. */
  onResponse(connection: Connection, status: number): void;
  /** The connection was closed; a request in flight gets no response. */
  onClose(connection: Connection): void;
}

/**
 * An HTTP/1.1 connection on a plain socket, for one request at a time. `node:http` would cost as much as the server
 * under test. Responses must have a Content-Length.
 */
export class Connection {
  /** When the current request was due, by `performance.now()`. */
  dueMs = 0;
  /** Whether a response is pending. */
  busy = false;
  readonly #socket: Socket;
  readonly #events: ConnectionEvents;
  #head = '';
  /** Remaining bytes of the current response body. */
  #bytesLeft = 0;
  #status = 0;

  constructor(port: number, events: ConnectionEvents) {
    this.#events = events;
    // One buffer for all connections of the process: data is read synchronously.
    const onread = { buffer: SHARED, callback: (size: number, data: Uint8Array) => this.#read(data as Buffer, size) };
    this.#socket = connect({ host: '127.0.0.1', port, noDelay: true, onread });
    this.#socket.on('error', () => {}).on('close', () => events.onClose(this));
  }

  /** Resolves when the connection is open. @throws if it cannot be opened */
  opened(): Promise<void> {
    return new Promise((resolve, reject) => this.#socket.once('connect', resolve).once('error', reject));
  }

  send(request: string, dueMs: number): void {
    this.busy = true;
    this.dueMs = dueMs;
    this.#socket.write(request, 'latin1');
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #read(data: Buffer, size: number): boolean {
    if (this.#bytesLeft > 0) this.#bytesLeft -= size;
    else this.#readHead(data.toString('latin1', 0, size));
    if (this.busy && this.#head === '' && this.#bytesLeft <= 0) {
      this.busy = false;
      this.#events.onResponse(this, this.#status);
    }
    return true;
  }

  #readHead(text: string): void {
    this.#head += text;
    const end = this.#head.indexOf(HEAD_END);
    if (end < 0) return;
    const length = /\r\ncontent-length: *(\d+)/i.exec(this.#head)?.[1];
    if (length === undefined) throw new Error(`A response without Content-Length: ${this.#head.slice(0, end)}`);
    this.#status = Number(this.#head.slice(9, 12));
    this.#bytesLeft = Number(length) - (this.#head.length - end - HEAD_END.length);
    this.#head = '';
  }
}

const SHARED = Buffer.alloc(64 * 1024);
