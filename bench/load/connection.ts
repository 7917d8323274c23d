import { connect, type Socket } from 'node:net';

const HEAD_END = '\r\n\r\n';

export interface ConnectionEvents {
  /** A whole answer is there, and its connection is free. */
  onAnswer(connection: Connection, status: number): void;
  /** It was closed; what was sent has no answer. */
  onClose(connection: Connection): void;
}

/**
 * One HTTP/1.1 connection on the bare socket, for one request at a time: `node:http` would cost as much as what it
 * loads. Answers must have a Content-Length.
 */
export class Connection {
  /** When the request that it now has was due, by `performance.now()`. */
  dueMs = 0;
  /** Whether it waits for an answer. */
  busy = false;
  readonly #socket: Socket;
  readonly #events: ConnectionEvents;
  #head = '';
  /** Of the body that is being received. */
  #bytesLeft = 0;
  #status = 0;

  constructor(port: number, events: ConnectionEvents) {
    this.#events = events;
    // One for all of a process: what is read is taken at once.
    const onread = { buffer: SHARED, callback: (size: number, data: Uint8Array) => this.#read(data as Buffer, size) };
    this.#socket = connect({ host: '127.0.0.1', port, noDelay: true, onread });
    this.#socket.on('error', () => {}).on('close', () => events.onClose(this));
  }

  /** Resolves once it is open. @throws when it cannot be opened */
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
      this.#events.onAnswer(this, this.#status);
    }
    return true;
  }

  #readHead(text: string): void {
    this.#head += text;
    const end = this.#head.indexOf(HEAD_END);
    if (end < 0) return;
    const length = /\r\ncontent-length: *(\d+)/i.exec(this.#head)?.[1];
    if (length === undefined) throw new Error(`An answer without Content-Length: ${this.#head.slice(0, end)}`);
    this.#status = Number(this.#head.slice(9, 12));
    this.#bytesLeft = Number(length) - (this.#head.length - end - HEAD_END.length);
    this.#head = '';
  }
}

const SHARED = Buffer.alloc(64 * 1024);
