import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { signalGroup } from '../../processes/marked-processes.ts';
import { type JsonObject, objectOf } from '../json.ts';
import type { RuntimeProcess } from '../runtime.ts';

const CALL_MS = 60_000;
const MAX_EVENT_BYTES = 8 * 1024 * 1024;
const USER = 'opencode';

/** The HTTP API of `opencode serve`, which says on stdout where it listens. */
export class OpencodeServer {
  readonly #program: RuntimeProcess['child'];
  readonly #url: Promise<string>;
  readonly #authorization: string;
  readonly #ended = new AbortController();

  constructor({ child, stdout, exited }: RuntimeProcess, password: string) {
    this.#program = child;
    this.#authorization = `Basic ${Buffer.from(`${USER}:${password}`).toString('base64')}`;
    this.#url = new Promise((resolve, reject) => {
      let text = '';
      stdout.on('data', (chunk: Buffer) => {
        text = (text + chunk).slice(-1_000);
        const [, url] = /listening on (http:\S+)\s/.exec(text) ?? [];
        if (url !== undefined) resolve(url);
      });
      void exited.then(() => reject(new Error('opencode has ended')));
    });
    this.#url.catch(() => {});
    void exited.then(() => this.#ended.abort());
  }

  get hasEnded(): boolean {
    return this.#ended.signal.aborted;
  }

  /** @throws Error if the server does not answer in a minute, or has ended */
  async call(method: string, path: string, body?: JsonObject): Promise<{ ok: boolean; body: JsonObject }> {
    const signal = AbortSignal.any([this.#ended.signal, AbortSignal.timeout(CALL_MS)]);
    const response = await this.#send(method, path, signal, body);
    const said = await text(response);
    const { statusCode = 0 } = response;
    return { ok: statusCode < 300, body: said.startsWith('{') ? objectOf(JSON.parse(said)) : {} };
  }

  /** The events from now on, until the server ends. */
  async follow(): Promise<AsyncIterable<JsonObject>> {
    const response = await this.#send('GET', '/event', this.#ended.signal);
    if (response.statusCode !== 200) throw new Error(`opencode answers ${response.statusCode}`);
    const parser = new EventSourceParserStream({ onError: 'terminate', maxBufferSize: MAX_EVENT_BYTES });
    return objectsIn(Readable.toWeb(response).pipeThrough(new TextDecoderStream()).pipeThrough(parser));
  }

  /**
   * On a connection of its own: opencode takes the same port again and again, and `fetch` would keep one to the server
   * before.
   */
  async #send(method: string, path: string, signal: AbortSignal, body?: JsonObject): Promise<IncomingMessage> {
    const headers = { authorization: this.#authorization, 'content-type': 'application/json' };
    const sent = request((await this.#url) + path, { method, headers, signal, agent: false });
    // Its reader is told of what comes after the response has begun.
    sent.on('error', () => {});
    sent.end(body && JSON.stringify(body));
    const [response] = await once(sent, 'response');
    return response;
  }

  /** It serves until it is ended. */
  close(): void {
    this.#ended.abort();
    signalGroup(this.#program.pid, 'SIGTERM');
  }
}

async function* objectsIn(events: AsyncIterable<{ data: string }>): AsyncGenerator<JsonObject> {
  for await (const { data } of events) yield objectOf(JSON.parse(data));
}
