import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { anthropic } from './anthropic.ts';
import { gemini } from './gemini.ts';
import type { Answer, Fields, ModelApi, ModelRequest, ReadRequest, Reply } from './model-api.ts';
import { openaiResponses } from './openai-responses.ts';

const MAX_BODY_BYTES = 64 * 1024 * 1024;
const MODELS = ['claude-sonnet-4-5', 'gpt-5.5', 'gemini-3-pro-preview'];
const DEFAULT_USAGE = { input_tokens: 100, cached_input_tokens: 0, output_tokens: 10, reasoning_tokens: 0 };

/** With and without `/v1`: some programs have it in their base URL. */
const ROUTES: readonly { path: RegExp; api: ModelRequest['api']; form: ModelApi }[] = [
  { path: /\/messages(\?|$)/, api: 'messages', form: anthropic },
  { path: /\/responses(\?|$)/, api: 'responses', form: openaiResponses },
  { path: /:(generateContent|streamGenerateContent)(\?|$)/, api: 'gemini', form: gemini },
];

export interface ModelServerOptions {
  /**
   * Called for each request for a message, but for those of Gemini's form with a schema and no tools.
   * Default: a text that repeats the end of the prompt.
   */
  reply?: (request: ModelRequest) => Reply | Promise<Reply>;
  /** Requests with another key get 401. Default: any. */
  key?: string;
  /** Default: any that is free. */
  port?: number;
}

export interface ModelServer {
  /** Such as `http://127.0.0.1:40000`: for Anthropic and Gemini; OpenAI's programs want `/v1` behind it. */
  url: string;
  /** Requests so far, in the order in which they came; those for a message, a count of tokens, and all others. */
  requests: ModelRequest[];
  /** Ends open connections too. */
  close(): Promise<void>;
}

/**
 * A fake of the providers of models on the loopback: Anthropic's messages, OpenAI's responses, Gemini's
 * generateContent, each as JSON and as a stream, with counts of tokens and a list of models.
 */
export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  const began = performance.now();
  const server = createServer((req, res) => {
    res.on('error', () => {});
    serve(req, res, requests, began, options).catch((error: unknown) => {
      if (!res.headersSent) res.writeHead(500, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ error: { message: `model server: ${error}` } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function serve(
  req: IncomingMessage,
  res: ServerResponse,
  requests: ModelRequest[],
  began: number,
  options: ModelServerOptions,
): Promise<void> {
  const path = req.url ?? '/';
  const body = await readBody(req);
  const route = ROUTES.find((each) => each.path.test(path));
  const request: ModelRequest = {
    api: route?.api ?? 'other',
    method: req.method ?? '',
    path,
    headers: req.headers,
    body,
    key: keyOf(req),
    ...(route && body ? route.form.read(body, path) : NOTHING_READ),
    atMs: performance.now() - began,
    ended: undefined,
  };
  requests.push(request);
  res.on('close', () => {
    request.ended = res.writableFinished ? 'answered' : 'aborted';
  });
  const form = route?.form ?? (path.includes('count_tokens') ? anthropic : openaiResponses);
  if (options.key !== undefined && request.key !== options.key) {
    return sendReply(res, form, request, { status: 401, message: 'The API key is not valid.' });
  }
  if (!route) return sendJson(res, ...answerOther(path, body));
  const { responseJsonSchema: schema } = (body as Fields)?.generationConfig ?? {};
  // Gemini CLI asks a small model which one to use, and again until the answer conforms.
  if (schema && request.tools.length === 0) return sendReply(res, route.form, request, { json: sampleOf(schema) });
  await sendReply(res, route.form, request, await (options.reply ?? repeatPrompt)(request));
}

const NOTHING_READ: ReadRequest = { model: '', stream: false, prompt: '', toolResults: [], tools: [] };

const repeatPrompt = ({ prompt }: ModelRequest): Reply => ({ text: `You said: ${prompt.slice(-200)}` });

/** A value of a JSON Schema with objects, enumerations, texts and numbers. */
function sampleOf({ type, properties = {}, enum: values }: Fields): unknown {
  if (type === 'object') {
    return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, sampleOf(schema)]));
  }
  return values?.[0] ?? (type === 'number' || type === 'integer' ? 50 : 'sample');
}

async function readBody(req: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString();
  return text === '' ? undefined : JSON.parse(text);
}

function keyOf({ headers, url = '' }: IncomingMessage): string | undefined {
  const named = headers['x-api-key'] ?? headers['x-goog-api-key'];
  if (typeof named === 'string') return named;
  return (
    headers.authorization?.replace(/^Bearer /, '') ?? new URL(url, 'http://x').searchParams.get('key') ?? undefined
  );
}

/** Counts of tokens, lists of models, and 404 for the rest. */
function answerOther(path: string, body: unknown): [status: number, body: unknown] {
  const tokens = Math.ceil(JSON.stringify(body ?? '').length / 4);
  if (path.includes('/count_tokens')) return [200, { input_tokens: tokens }];
  if (path.includes(':countTokens')) return [200, { totalTokens: tokens }];
  if (/\/models(\?|$)/.test(path)) {
    const data = MODELS.map((id) => ({ id, object: 'model', type: 'model', display_name: id, created: 0 }));
    return [200, { object: 'list', data, has_more: false, models: MODELS.map((id) => ({ name: `models/${id}` })) }];
  }
  return [404, { error: { message: `There is nothing at ${path}.` } }];
}

async function sendReply(res: ServerResponse, form: ModelApi, request: ModelRequest, reply: Reply): Promise<void> {
  if ('status' in reply) {
    if (reply.retryAfterSeconds !== undefined) res.setHeader('retry-after', reply.retryAfterSeconds);
    sendJson(res, reply.status, form.error(reply.status, reply.message ?? `The model server answers ${reply.status}.`));
    return;
  }
  if ('hang' in reply) {
    if (reply.hang === 'headers') return;
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(form.events(toAnswer({ text: 'I begin.' }, request), request.model)[0] ?? '');
    return;
  }
  const answer = toAnswer(reply, request);
  if (!request.stream) {
    await sleep(reply.delayMs ?? 0);
    sendJson(res, 200, form.json(answer, request.model));
    return;
  }
  res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const event of form.events(answer, request.model)) {
    if (reply.delayMs) await sleep(reply.delayMs);
    if (res.destroyed) return;
    res.write(event);
  }
  res.end();
}

function toAnswer(reply: Exclude<Reply, { status: number } | { hang: string }>, { tools }: ModelRequest): Answer {
  const usage = { ...DEFAULT_USAGE, ...reply.usage };
  if ('tools' in reply) return { text: reply.text ?? '', tools: reply.tools, usage };
  if ('text' in reply) return { text: reply.text, tools: [], usage };
  if (!tools.includes('StructuredOutput')) return { text: JSON.stringify(reply.json), tools: [], usage };
  return { text: '', tools: [{ name: 'StructuredOutput', args: reply.json as Record<string, unknown> }], usage };
}

function sendJson(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
