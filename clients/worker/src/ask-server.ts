import { hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerMcp } from './ask-person.ts';
import { messageOf } from './errors.ts';
import type { Answer, Ask } from './messages.ts';
import type { TaskContext } from './options.ts';

const MAX_BODY_BYTES = 128 * 1024;
/** Whitespace before the answer, which keeps the connection of who waits for it. */
const ALIVE_MS = 15_000;
/** A longer text is a plain entry of the log, which is split. */
const MAX_MARKDOWN_BYTES = 15_000;

type Context = Pick<TaskContext, 'ask' | 'log'>;

export type AskServer = Awaited<ReturnType<typeof startAskServer>>;

interface Attempt {
  context: Context;
  /** How often each question was asked: a program that is started anew asks them in the same order. */
  asked: Map<string, number>;
}

/** Serves `fleet ask`, `fleet tell` and the tool `ask_person` to this machine, each with the key of its attempt. */
export async function startAskServer() {
  const attempts = new Map<string, Attempt>();
  const server = createServer((request, response) => {
    const attempt = attempts.get(request.headers.authorization?.replace(/^Bearer /, '') ?? '');
    if (!attempt || request.method !== 'POST') return void response.writeHead(attempt ? 405 : 401).end();
    serve(attempt, request, response).catch((error) => {
      if (!response.headersSent) response.writeHead(400);
      response.end(JSON.stringify({ error: messageOf(error) }));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // Its attempts keep the worker alive.
  server.unref();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    /** The environment of a program; its key is good until `close`. */
    open(context: Context) {
      const key = randomBytes(24).toString('base64url');
      attempts.set(key, { context, asked: new Map() });
      const mcp = { url: `${url}/mcp`, headers: { authorization: `Bearer ${key}` } };
      return { env: { FLEET_ASK_URL: url, FLEET_ASK_KEY: key }, mcp, close: () => void attempts.delete(key) };
    },
    close: () => void server.close().closeAllConnections(),
  };
}

async function serve(attempt: Attempt, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = JSON.parse(await readText(request, MAX_BODY_BYTES));
  if (request.url === '/tell') {
    tell(attempt.context, String(body.text));
    response.writeHead(204).end();
  } else if (request.url === '/ask') {
    await ask(attempt, response, async (put) => ({ answer: await put(body) }));
  } else if (request.url === '/mcp') {
    if (body.id === undefined) response.writeHead(202).end();
    else await ask(attempt, response, (put) => answerMcp(body, put));
  } else response.writeHead(404).end();
}

function tell({ log }: Context, markdown: string): void {
  if (Buffer.byteLength(markdown) > MAX_MARKDOWN_BYTES) log(markdown, { stream: 'agent' });
  else log('', { stream: 'agent', type: 'text', data: { markdown } });
}

/** Who goes away withdraws the request. */
async function ask(
  { context, asked }: Attempt,
  response: ServerResponse,
  respond: (put: (fields: Omit<Ask, 'key'>) => Promise<Answer>) => Promise<unknown>,
): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const timer = setInterval(() => response.write(' '), ALIVE_MS);
  response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
  try {
    const answer = await respond((fields) => {
      const digest = hash('sha256', JSON.stringify(fields));
      const count = (asked.get(digest) ?? 0) + 1;
      asked.set(digest, count);
      return context.ask({ ...fields, key: `${digest}:${count}` }, { signal: gone.signal });
    });
    response.end(JSON.stringify(answer));
  } finally {
    clearInterval(timer);
  }
}

/** @throws Error for a larger body */
export async function readText(request: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
