import type { IncomingHttpHeaders } from 'node:http';

/** As the worker reports it: cached tokens are part of the input, reasoning tokens part of the output. */
interface TokenUsage {
  input_tokens: number;
  cached_input_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
}

/** A call of one of the agent's tools; `args` as text is for tools that take free text, such as patches. */
export interface ToolCall {
  name: string;
  args: Record<string, unknown> | string;
  /** In which the Responses API has the tools of MCP servers. */
  namespace?: string;
}

interface Pace {
  /** Default: 100 in, 10 out. */
  usage?: Partial<TokenUsage>;
  /** Waits so long before each event of a stream. Default: 0. */
  delayMs?: number;
}

/** What the model says to one request. */
export type Reply =
  | ({ text: string } & Pace)
  /** Tools to call, after a text if there is one. */
  | ({ tools: readonly ToolCall[]; text?: string } & Pace)
  /** An answer by a schema: a call of `StructuredOutput` where the agent offers that tool, else JSON as text. */
  | ({ json: unknown } & Pace)
  /** An error in the provider's form; `retryAfterSeconds` becomes a header. */
  | { status: number; message?: string; retryAfterSeconds?: number }
  /** Never ends: `headers` answers nothing at all, `stream` sends its headers and its first event. */
  | { hang: 'headers' | 'stream' };

/** A request as it came, with what every provider's form has in common. */
export interface ModelRequest {
  api: 'messages' | 'responses' | 'gemini' | 'other';
  method: string;
  /** With its query. */
  path: string;
  headers: IncomingHttpHeaders;
  /** Parsed JSON; undefined when there is none. */
  body: unknown;
  /** As `x-api-key`, `authorization: Bearer` or `x-goog-api-key` say. */
  key: string | undefined;
  model: string;
  stream: boolean;
  /** The text of the last message that is not a tool's result. */
  prompt: string;
  /** Results of tools since that message, in their order. */
  toolResults: string[];
  /** Names of the tools on offer. Programs also ask for titles and the like: those requests have no tools. */
  tools: string[];
  /** Milliseconds since the server's start. */
  atMs: number;
  /** How the exchange ended; undefined while it lasts. */
  ended: 'answered' | 'aborted' | undefined;
}

/** What the fields of a body say. */
export type ReadRequest = Pick<ModelRequest, 'model' | 'stream' | 'prompt' | 'toolResults' | 'tools'>;

/** A reply in the terms that every provider has. */
export interface Answer {
  text: string;
  tools: readonly ToolCall[];
  usage: TokenUsage;
}

/** One provider's form of requests and replies. */
export interface ModelApi {
  read(body: Fields, path: string): ReadRequest;
  /** A whole reply, as JSON. */
  json(answer: Answer, model: string): unknown;
  /** A stream of server-sent events. */
  events(answer: Answer, model: string): string[];
  error(status: number, message: string): unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of other people's programs, read without a check
export type Fields = any;

/** An event of a stream, as it is sent. */
export function toEvent(data: unknown, event?: string): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`;
}

/** Pieces of a text that are a few words each, at least one. */
export function toPieces(text: string): string[] {
  return text.match(/(?:\S+\s*){1,4}|\s+/g) ?? [text];
}

/** The text of a message's content in any provider's form. */
export function textOf(content: Fields): string {
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map(textOf).filter(Boolean).join('\n');
  if (content === null || typeof content !== 'object') return '';
  return textOf(content.text ?? content.content ?? content.output ?? content.parts ?? '');
}

let calls = 0;
/** A name that no other item of this process has. */
export function newId(prefix: string): string {
  calls += 1;
  return `${prefix}_${process.pid}_${calls}`;
}

/** A text with JSON of a tool's arguments. */
export function argsOf({ args }: ToolCall): string {
  return typeof args === 'string' ? args : JSON.stringify(args);
}
