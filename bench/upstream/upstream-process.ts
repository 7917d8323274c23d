// An upstream that uses almost no processor time, so that a benchmark measures the proxy in front of it: plain
// `node:http`, with the responses of the benchmarks under paths of the agents service.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { receiveBody, sendBody } from './body-stream.ts';
import { BODY_BYTES, document, LARGE, SMALL } from './responses.ts';

const COMMENT_EVERY_MS = 15_000;

const RESPONDERS: Record<string, (res: ServerResponse, req: IncomingMessage) => unknown> = {
  small: (res) => send(res, SMALL),
  tasks: (res) => send(res, LARGE),
  events: sendEvents,
  download: sendDownload,
  upload: receiveUpload,
  '/openapi.json': (res) => send(res, Buffer.from(JSON.stringify(document()))),
  '/ready': (res) => send(res, Buffer.from('{"status":"ready"}')),
};

createServer((req, res) => {
  const url = req.url ?? '';
  const [, root, , name = 'small'] = url.split('/');
  const respond = RESPONDERS[root === 'agents' ? name : url];
  if (respond) respond(res, req);
  else res.writeHead(404).end();
}).listen({ port: Number(process.env.PORT), host: '127.0.0.1', backlog: 4_096 });

function send(res: ServerResponse, json: Buffer): void {
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': json.length }).end(json);
}

/** A stream that stays open, with a comment at once and every 15 s. */
function sendEvents(res: ServerResponse): void {
  res.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n');
  const timer = setInterval(() => res.write(':\n\n'), COMMENT_EVERY_MS);
  res.on('close', () => clearInterval(timer));
}

function sendDownload(res: ServerResponse): void {
  sendBody(res.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': BODY_BYTES }));
}

async function receiveUpload(res: ServerResponse, req: IncomingMessage): Promise<void> {
  send(res, Buffer.from(JSON.stringify({ received: await receiveBody(req) })));
}
