// The source of the registry: serves a synthetic file in gzip with an ETag. `/prepare` creates the next edition, which
// takes a while (at first the first one); `/switch` starts to serve it.
import { createServer, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import { registryText, type SyntheticRegistry } from './synthetic/synthetic-registry.ts';

const registry = JSON.parse(process.env.REGISTRY ?? '') as Omit<SyntheticRegistry, 'edition'>;
let served: Edition | undefined;
let prepared: Edition | undefined;

interface Edition {
  number: number;
  etag: string;
  gzip: Buffer;
}

createServer((req, res) => {
  if (req.url === '/registry.json') return sendRegistry(res, req.headers['if-none-match']);
  if (req.url === '/prepare') return void prepare(res);
  if (req.url === '/switch') served = prepared;
  res.end(JSON.stringify({ edition: served?.number }));
}).listen(Number(process.env.PORT), '127.0.0.1');

function sendRegistry(res: ServerResponse, known: string | undefined): void {
  if (!served) return void res.writeHead(503).end();
  const { etag, gzip } = served;
  if (known === etag) return void res.writeHead(304, { etag }).end();
  const headers = {
    'content-type': 'application/json',
    'content-encoding': 'gzip',
    'content-length': gzip.length,
    etag,
  };
  res.writeHead(200, headers).end(gzip);
}

async function prepare(res: ServerResponse): Promise<void> {
  prepared = await createEdition((served?.number ?? 0) + 1);
  res.end(JSON.stringify({ edition: prepared.number }));
}

async function createEdition(number: number): Promise<Edition> {
  const text = Readable.from(registryText({ ...registry, edition: number }));
  return { number, etag: `"edition-${number}"`, gzip: await buffer(text.pipe(createGzip({ level: 1 }))) };
}
