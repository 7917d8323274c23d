import { until } from '@agent-fleet/shared/testing/until';

const HEAD_TIMEOUT_MS = 60_000;
const EVENTS_TIMEOUT_MS = 60_000;

/** A served event. */
export interface FleetEvent {
  id: string;
  type: string;
  agent_id?: string;
  task_id?: string;
  status?: string;
  at: string;
  data?: Record<string, unknown>;
}

/** One block of Server-Sent Events with its data as JSON. */
export interface StreamedEvent {
  id: string | undefined;
  event: string | undefined;
  data: FleetEvent;
}

/** An open stream of Server-Sent Events, with everything it has received. */
export class EventStream {
  readonly headers: Headers;
  readonly status: number;
  /** Whether the server has ended the stream. */
  ended = false;
  #text = '';
  readonly #abort: AbortController;

  private constructor({ headers, status }: Response, abort: AbortController) {
    this.headers = headers;
    this.status = status;
    this.#abort = abort;
  }

  /** Resolves with the head of the response. */
  static async open(url: string, headers: Record<string, string>): Promise<EventStream> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), HEAD_TIMEOUT_MS);
    const response = await fetch(url, {
      headers: { accept: 'text/event-stream', ...headers },
      signal: abort.signal,
    }).finally(() => clearTimeout(timer));
    const stream = new EventStream(response, abort);
    void stream.#read(response).catch(() => undefined);
    return stream;
  }

  get events(): StreamedEvent[] {
    return parseEvents(this.#text);
  }

  get types(): string[] {
    return this.events.map(({ data }) => data.type);
  }

  /** Lines that begin with a colon. */
  get comments(): number {
    return this.#text.split('\n').filter((line) => line.startsWith(':')).length;
  }

  /** Waits until `count` events have arrived, and returns them. */
  async take(count: number, timeoutMs = EVENTS_TIMEOUT_MS): Promise<StreamedEvent[]> {
    return until(() => this.events, {
      message: () => `${count} events have come; there are ${this.types}`,
      timeoutMs,
      holds: ({ length }) => length >= count,
    });
  }

  async untilEnded(): Promise<void> {
    await until(async () => this.ended, { message: 'the stream has ended', timeoutMs: EVENTS_TIMEOUT_MS });
  }

  close(): void {
    this.#abort.abort();
  }

  async #read({ body }: Response): Promise<void> {
    for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) this.#text += text;
    this.ended = true;
  }
}

/** The complete events of a stream's text, without blocks that have no data (`retry:`, comments). */
export function parseEvents(text: string): StreamedEvent[] {
  const blocks = text.split('\n\n').slice(0, -1);
  return blocks.flatMap((block) => {
    const lines = block.matchAll(/^([^:]*): ?(.*)$/gm);
    const { id, event, data } = Object.fromEntries([...lines].map(([, name, value]) => [name, value]));
    return data === undefined ? [] : [{ id, event, data: JSON.parse(data) }];
  });
}
