// In the place of `opencode serve`: it sends the events that REPLAY names, each call waited for where it was made, and
// writes what it was given to a file.
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const { lines, dump } = JSON.parse(readFileSync(process.env.REPLAY ?? '', 'utf8'));
const { REPLAY: _, OPENCODE_SERVER_PASSWORD: password, ...env } = process.env;
const authorization = `Basic ${Buffer.from(`opencode:${password}`).toString('base64')}`;
const stdin: string[] = [];
const save = () => writeFileSync(dump, JSON.stringify({ args: process.argv.slice(2), env, stdin, isEnded: true }));
/** Calls that wait for their answer, and whoever waits for a call. */
const calls: ServerResponse[] = [];
let called = Promise.withResolvers<void>();

async function replay(events: ServerResponse): Promise<void> {
  for (const line of lines) {
    if (line.expects === undefined) {
      events.write(`data: ${line.text}\n\n`);
      continue;
    }
    if (calls.length === 0) await called.promise;
    called = Promise.withResolvers();
    const { status, body } = JSON.parse(line.expects);
    calls
      .shift()
      ?.writeHead(status, { 'content-type': 'application/json' })
      .end(body === null ? '' : JSON.stringify(body));
  }
}

const server = createServer(async (req, res) => {
  if (req.headers.authorization !== authorization) return void res.writeHead(401).end();
  // The real one takes the port of the one before: a connection that stays would be reset there.
  if (req.headers.connection !== 'close') return void res.writeHead(400).end();
  if (req.url === '/event') {
    res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    return void replay(res);
  }
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  stdin.push(JSON.stringify({ method: req.method, path: req.url, body: text === '' ? null : JSON.parse(text) }));
  save();
  calls.push(res);
  called.resolve();
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
save();
process.stdout.write(`opencode server listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
