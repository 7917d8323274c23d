import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
// Loaded before the tests: what closes soon after its first span waits only shortly for it.
import '../tracing/span-exporter.ts';

interface OtlpAttribute {
  key: string;
  value: { stringValue?: string; intValue?: number };
}

interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  /** 2: SERVER, 3: CLIENT. */
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: OtlpAttribute[];
}

interface OtlpRequest {
  resourceSpans: { resource: { attributes: OtlpAttribute[] }; scopeSpans: { spans: OtlpSpan[] }[] }[];
}

/** An OpenTelemetry collector. */
export class Collector {
  readonly requests: { path: string | undefined; headers: IncomingHttpHeaders }[] = [];
  readonly spans: ReturnType<typeof spansIn> = [];
  /** Holds its responses. */
  hangs = false;
  readonly #waiting: ServerResponse[] = [];
  readonly #server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    this.requests.push({ path: req.url, headers: req.headers });
    this.spans.push(...spansIn(JSON.parse(Buffer.concat(chunks).toString()) as OtlpRequest));
    this.#waiting.push(res);
    if (!this.hangs) this.answerAll();
  });

  async listen(port = 0): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    return this;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The SERVER spans with a name. */
  named(name: string) {
    return this.servers().filter((span) => span.name === name);
  }

  /** All SERVER spans. */
  servers() {
    return this.spans.filter(({ kind }) => kind === 2);
  }

  /** Sends the held responses. */
  answerAll(): void {
    for (const res of this.#waiting.splice(0)) {
      res.writeHead(200, { 'content-type': 'application/json', connection: 'close' }).end('{}');
    }
  }
}

function spansIn({ resourceSpans }: OtlpRequest) {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap(({ spans }) => spans)
      .map((span) => ({
        ...span,
        attributes: toObject(span.attributes),
        resource: toObject(resource.attributes),
      })),
  );
}

function toObject(attributes: OtlpAttribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));
}
