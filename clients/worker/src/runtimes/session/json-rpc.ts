import type { Writable } from 'node:stream';
import { type JsonObject, objectOf, textOf } from '../json.ts';
import type { RuntimeEvent } from '../runtime.ts';

/** What follows from the answer to a request, which has one of the two. */
type Receive = (answer: { result: JsonObject; error: JsonObject | undefined }) => Iterable<RuntimeEvent> | undefined;

export interface Receiver {
  /** To be answered by `respond`. */
  onRequest(id: unknown, method: string, params: JsonObject): Iterable<RuntimeEvent>;
  onNotification(method: string, params: JsonObject): Iterable<RuntimeEvent>;
}

export const METHOD_NOT_FOUND = -32_601;

/** Our side of JSON-RPC 2.0 with a program, a message a line. */
export class JsonRpc {
  readonly #stdin: Writable;
  readonly #receiver: Receiver;
  #count = 0;
  readonly #expected = new Map<unknown, Receive>();
  /** Requests of the program that wait for an answer. */
  readonly #open = new Set<unknown>();

  constructor(stdin: Writable, receiver: Receiver) {
    this.#stdin = stdin;
    this.#receiver = receiver;
  }

  *read({ id, method, params, result, error }: JsonObject): Generator<RuntimeEvent> {
    if (method === undefined) {
      const receive = this.#expected.get(id);
      this.#expected.delete(id);
      yield* receive?.({ result: objectOf(result), error: error ? objectOf(error) : undefined }) ?? [];
    } else if (id === undefined) yield* this.#receiver.onNotification(textOf(method), objectOf(params));
    else {
      this.#open.add(id);
      yield* this.#receiver.onRequest(id, textOf(method), objectOf(params));
    }
  }

  request(method: string, params: JsonObject, receive: Receive = () => undefined): void {
    this.#count += 1;
    this.#expected.set(this.#count, receive);
    this.#send({ id: this.#count, method, params });
  }

  notify(method: string, params: JsonObject = {}): void {
    this.#send({ method, params });
  }

  /** Answers a request of the program, once. */
  respond(id: unknown, answer: { result: JsonObject } | { error: { code: number; message: string } }): void {
    if (this.#open.delete(id)) this.#send({ id, ...answer });
  }

  #send(message: JsonObject): void {
    if (this.#stdin.writable) this.#stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}
