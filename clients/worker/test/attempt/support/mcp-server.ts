// An MCP server with the tool `look`, which says what it was given, and its secret if it looks at that: over HTTP with
// the header `x-secret`, or as a program with SECRET in its environment.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { own } from '@agent-fleet/scripts/testing/own';

// biome-ignore lint/suspicious/noExplicitAny: messages, which it does not check
type Fields = Record<string, any>;

const TOOL = {
  name: 'look',
  description: 'Looks something up',
  inputSchema: { type: 'object', properties: { at: { type: 'string' } } },
};

/** Undefined for a notification. */
function answerTo({ id, method, params }: Fields, calls: unknown[], secret: string | undefined): object | undefined {
  if (id === undefined) return undefined;
  if (method === 'initialize') {
    const serverInfo = { name: 'fake', version: '1' };
    const result = { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo };
    return { jsonrpc: '2.0', id, result };
  }
  if (method === 'tools/list') return { jsonrpc: '2.0', id, result: { tools: [TOOL] } };
  if (method !== 'tools/call') return { jsonrpc: '2.0', id, error: { code: -32601, message: 'unknown' } };
  calls.push(params.arguments);
  const { at } = params.arguments;
  const said = `looked at ${at} with ${at === 'secret' ? secret : secret?.length}`;
  return { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: said }] } };
}

/** @param secret without it the server answers 401 */
export async function startMcpServer(secret: string, { isStream = false } = {}) {
  const calls: unknown[] = [];
  const server = createServer(async (req, res) => {
    if (req.headers['x-secret'] !== secret) return void res.writeHead(401).end();
    if (req.method !== 'POST') return void res.writeHead(405).end();
    const answer = answerTo(JSON.parse(await text(req)), calls, secret);
    const type = isStream ? 'text/event-stream' : 'application/json';
    if (answer === undefined) res.writeHead(202).end();
    else {
      const json = JSON.stringify(answer);
      res.writeHead(200, { 'content-type': type, 'mcp-session-id': 's1' }).end(isStream ? `data: ${json}\n\n` : json);
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  own(() => void server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, calls };
}

if (process.argv[1] === import.meta.filename) {
  createInterface({ input: process.stdin }).on('line', (line) => {
    const answer = answerTo(JSON.parse(line), [], process.env.SECRET);
    if (answer !== undefined) process.stdout.write(`${JSON.stringify(answer)}\n`);
  });
}
