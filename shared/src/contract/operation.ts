import type { Request, Response } from 'express';
import type { z } from 'zod';

type Method = 'get' | 'post' | 'put' | 'delete';

/** Who may call: anyone, whoever has a bearer token or an API key, or a bearer token only. */
export type Security = 'public' | 'credentials' | 'bearer';

/** A header as the document describes it. */
export interface HeaderDoc {
  description: string;
  schema: { type: 'string' | 'integer'; pattern?: string; example?: string | number };
  required?: boolean;
}

export const RETRY_AFTER: Record<string, HeaderDoc> = {
  'Retry-After': { description: 'Seconds to wait before a retry.', schema: { type: 'integer' }, required: true },
};

/** An answer as the document describes it; `schema` is left out where it has no body. */
export interface ResponseDoc {
  description: string;
  schema?: z.ZodType;
  /** Default `application/json`. */
  contentType?: string;
  /** What the answer is where the client accepts `text/event-stream`. */
  stream?: string;
  headers?: Record<string, HeaderDoc>;
  example?: unknown;
}

/** An error an operation may answer with beside those that every operation has; `example` is its whole body. */
export interface ErrorDoc {
  status: number;
  description: string;
  example: Record<string, unknown>;
  headers?: Record<string, HeaderDoc>;
}

/** A request's body: what it is checked against, and how the document describes it. */
export interface BodyDoc {
  schema: z.ZodType;
  example: unknown;
  /** Default `application/json`. */
  contentType?: 'application/json' | 'application/x-www-form-urlencoded';
  /** Default 1 MiB. */
  maxBytes?: number;
  /** Whether it may be left out, which means `{}`. Default false. */
  optional?: boolean;
}

/** A group of operations in the document. */
export interface Tag {
  name: string;
  description: string;
}

/** One operation of an API, declared once: its route, its parsing, its OpenAPI entry and its types come from here. */
export interface Operation {
  id: string;
  method: Method;
  /** With `{name}` for each path parameter. */
  path: string;
  tag: string;
  summary: string;
  description?: string;
  /** Default: `credentials`. */
  security?: Security;
  params?: z.ZodObject;
  query?: z.ZodObject;
  /** Request headers that the operation reads, for the document. */
  requestHeaders?: Record<string, HeaderDoc>;
  body?: BodyDoc;
  responses: Readonly<Record<number, ResponseDoc>>;
  errors?: readonly ErrorDoc[];
  /** Default true; false for an operation without dependencies, which never responds with 503. */
  needsStore?: boolean;
}

/** What an operation's handler gets: parsed input, and the raw exchange where a handler needs it. */
export interface Input<Op extends Operation> {
  params: Op extends { params: infer Params extends z.ZodObject } ? z.output<Params> : Record<string, never>;
  query: Op extends { query: infer Query extends z.ZodObject } ? z.output<Query> : Record<string, never>;
  body: Op extends { body: { schema: infer Body extends z.ZodType } } ? z.output<Body> : undefined;
  req: Request;
  res: Response;
}

/** What a handler gives back; `json` is the body as text, sent as it is; `etag` makes a GET conditional. */
export interface Reply {
  status: number;
  headers?: Record<string, string>;
  json?: string;
  etag?: string;
}

/** Without a reply, the handler has answered on `res` itself. */
export type Handler<Op extends Operation> = (input: Input<Op>) => Promise<Reply | undefined> | Reply | undefined;

/** Throws what a missing resource answers with; asked only when the body is bad, as 404 goes before 400. */
export type ResourceCheck<Op extends Operation> = (params: Input<Op>['params']) => Promise<void>;

/** An operation and what serves it. */
export interface Binding {
  operation: Operation;
  handler: Handler<Operation>;
  resourceCheck?: ResourceCheck<Operation>;
}

/** Keeps an operation's exact type, so that its handler's input is known. */
export function defineOperation<const Op extends Operation>(operation: Op): Op {
  return operation;
}

/** Pairs an operation with its handler. */
export function bind<const Op extends Operation>(
  operation: Op,
  handler: Handler<Op>,
  resourceCheck?: ResourceCheck<Op>,
): Binding {
  return { operation, handler, resourceCheck } as unknown as Binding;
}

/** A value as a JSON answer, 200 unless said otherwise. */
export function json(value: unknown, status = 200, headers?: Record<string, string>): Reply {
  return { status, json: JSON.stringify(value), headers };
}
