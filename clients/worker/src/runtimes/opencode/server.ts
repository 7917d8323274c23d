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

  /** @throws Error if the server does not answer in a minute, or has ended */
  async call(method: string, path: string, body?: JsonObject): Promise<{ ok: boolean; body: JsonObject }> {
    const response = await fetch((await this.#url) + path, {
      method,
      headers: { authorization: this.#authorization, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.any([this.#ended.signal, AbortSignal.timeout(CALL_MS)]),
    });
    const text = await response.text();
    return { ok: response.ok, body: text.startsWith('{') ? objectOf(JSON.parse(text)) : {} };
  }

  /** The events from now on, until the server ends. */
  async follow(): Promise<AsyncIterable<JsonObject>> {
    const headers = { authorization: this.#authorization };
    const { body, status } = await fetch(`${await this.#url}/event`, { headers, signal: this.#ended.signal });
    if (status !== 200 || body === null) throw new Error(`opencode answers ${status}`);
    const parser = new EventSourceParserStream({ onError: 'terminate', maxBufferSize: MAX_EVENT_BYTES });
    return objectsIn(body.pipeThrough(new TextDecoderStream()).pipeThrough(parser));
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
