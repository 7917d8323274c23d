import { hash } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An upstream that a test controls: a real HTTP server with configurable responses. */
export interface FakeUpstream {
  url: string;
  port: number;
  /** All requests so far. */
  requests: { url: string; headers: IncomingMessage['headers'] }[];
  answer: RequestListener;
  /** Responds with this JSON from now on, or with 304 for a matching `If-None-Match`. */
  serve(document: unknown): void;
  /** Responds with these texts by path from now on, with an `ETag` each, and with 404 for other paths. */
  serveFiles(files: Record<string, string>): void;
  /** Serves a pointer, a manifest and these shards. */
  serveShards(documents: readonly unknown[]): void;
  close(): Promise<void>;
}

export async function startUpstream(document: unknown = []): Promise<FakeUpstream> {
  const server = createServer((req, res) => {
    upstream.requests.push({ url: req.url ?? '', headers: req.headers });
    upstream.answer(req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const upstream: FakeUpstream = {
    url: `http://127.0.0.1:${port}/registry.json`,
    port,
    requests: [],
    answer: () => {},
    serve(next) {
      this.serveFiles({ '/registry.json': JSON.stringify(next) });
    },
    serveFiles(files) {
      this.answer = (req, res) => {
        const body = files[(req.url ?? '').replace(/\?.*/, '')];
        if (body === undefined) return send(res, 404, '{}');
        const etag = `"${hash('sha256', body)}"`;
        if (req.headers['if-none-match'] === etag) res.writeHead(304, { etag }).end();
        else send(res, 200, body, { etag });
      };
    },
    serveShards(documents) {
      this.serveFiles(shardedFiles(documents));
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  upstream.serve(document);
  return upstream;
}

export function send(res: ServerResponse, status: number, body: string | Buffer, headers: Record<string, string> = {}) {
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers });
  res.end(body);
}

/** The entry of a shard in a manifest. */
export interface ShardJson {
  id: string;
  path: string;
  gzip_path: string;
  count: number;
  bytes: number;
  sha256: string;
}

/** The files of a registry that was split into shards, by path; `change` may damage the manifest. */
export function shardedFiles(
  documents: readonly unknown[],
  change: (manifest: { shards: ShardJson[] } & Record<string, unknown>) => void = () => {},
): Record<string, string> {
  const bodies = documents.map((document) => JSON.stringify(document));
  const shards = bodies.map((body, at) => toShardJson(body, `${at}`.padStart(2, '0'), countOf(documents[at])));
  const total_count = shards.reduce((sum, { count }) => sum + count, 0);
  const files = Object.fromEntries(shards.map(({ path }, at) => [`/${path}`, bodies[at] ?? '']));
  const manifest = { schema_version: 1, total_count, shard_count: shards.length, shards };
  change(manifest);
  const pointer = { deprecated_full_payload: true, manifest: 'registry-manifest.json', total_count };
  return { '/registry.json': JSON.stringify(pointer), '/registry-manifest.json': JSON.stringify(manifest), ...files };
}

function toShardJson(body: string, id: string, count: number): ShardJson {
  const path = `registry-shards/${id}.json`;
  return { id, path, gzip_path: `${path}.gz`, count, bytes: Buffer.byteLength(body), sha256: hash('sha256', body) };
}

function countOf(document: unknown): number {
  const { skills = document } = document as { skills?: unknown };
  return Array.isArray(skills) ? skills.length : 0;
}

/** A registry file of `count` skills. */
export function registryOf(count: number, prefix = 'skill'): { skills: unknown[] } {
  const skills = Array.from({ length: count }, (_, at) => ({
    id: `${prefix}-${at}`,
    name: `${prefix}-${at}`,
    description: `Number ${at} of the skills for this test.`,
    category: at % 2 ? 'odd' : 'even',
    tags: ['test', `tag-${at}`],
    author: 'Tester',
    stars: at,
  }));
  return { skills };
}

/** Responds with 500 from now on. */
export function fails(upstream: FakeUpstream): void {
  upstream.answer = (_req, res) => send(res, 500, '{}');
}
