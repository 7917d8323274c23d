import { type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { until } from '@agent-fleet/shared/testing/until';

const HEAD_TIMEOUT_MS = 60_000;
const EVENTS_TIMEOUT_MS = 60_000;

/** An event of the fleet as it is served. */
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

/** An open stream of Server-Sent Events; what has come is kept. */
export class EventStream {
  readonly headers: IncomingHttpHeaders;
  readonly status: number;
  /** Whether the server has ended it. */
  ended = false;
  #text = '';
  readonly #incoming: IncomingMessage;

  private constructor(incoming: IncomingMessage) {
    this.#incoming = incoming;
    this.headers = incoming.headers;
    this.status = incoming.statusCode ?? 0;
    incoming
      .setEncoding('utf8')
      .on('data', (text: string) => (this.#text += text))
      .on('end', () => (this.ended = true))
      .on('error', () => undefined);
  }

  /** Resolves with the head of the answer, on a connection of its own. */
  static open(baseUrl: string, path: string, headers: OutgoingHttpHeaders): Promise<EventStream> {
    const { hostname: host, port } = new URL(baseUrl);
    const options = { host, port, path, headers: { accept: 'text/event-stream', ...headers }, agent: false };
    return new Promise((resolve, reject) => {
      const outgoing = request(options, (incoming) => {
        outgoing.setTimeout(0);
        resolve(new EventStream(incoming));
      });
      outgoing.setTimeout(HEAD_TIMEOUT_MS, () => outgoing.destroy(new Error(`No answer to GET ${path}`)));
      outgoing.on('error', reject);
      outgoing.end();
    });
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

  /** Waits for so many events in all, and gives them. */
  async take(count: number, timeoutMs = EVENTS_TIMEOUT_MS): Promise<StreamedEvent[]> {
    return until(() => this.events, {
      message: () => `${count} events have come; there are ${this.types}`,
      timeoutMs,
      holds: ({ length }) => length >= count,
    });
  }

  close(): void {
    this.#incoming.destroy();
  }
}

/** The whole events of a stream's text; blocks without data (`retry:`, comments) are passed over. */
export function parseEvents(text: string): StreamedEvent[] {
  const blocks = text.split('\n\n').slice(0, -1);
  return blocks.flatMap((block) => {
    const lines = block.matchAll(/^([^:]*): ?(.*)$/gm);
    const { id, event, data } = Object.fromEntries([...lines].map(([, name, value]) => [name, value]));
    return data === undefined ? [] : [{ id, event, data: JSON.parse(data) }];
  });
}
