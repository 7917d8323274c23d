import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { Scope } from './scopes.ts';

type Method = 'get' | 'post' | 'put' | 'delete';

/** Who may call an operation: everybody, anybody with valid credentials, or only with a bearer token. */
export type Security = 'public' | 'credentials' | 'bearer';

/** A header in the OpenAPI document. */
export interface HeaderDoc {
  description: string;
  schema: { type: 'string' | 'integer'; pattern?: string; example?: string | number };
  required?: boolean;
}

/** Optional in the document: a proxy in front of the fleet may respond with these statuses too. */
export const RETRY_AFTER: Record<string, HeaderDoc> = {
  'Retry-After': { description: 'Seconds to wait before a retry.', schema: { type: 'integer' } },
};

/** A response in the OpenAPI document; without `schema` it has no body. */
export interface ResponseDoc {
  description: string;
  schema?: z.ZodType;
  /** Default `application/json`. */
  contentType?: string;
  /** Description of the stream that a client gets that accepts `streamType`. */
  stream?: string;
  /** Default `text/event-stream`. */
  streamType?: string;
  headers?: Record<string, HeaderDoc>;
  example?: unknown;
}

/** An error of an operation, in addition to those that every operation has; `example` is the whole body. */
export interface ErrorDoc {
  status: number;
  description: string;
  example: Record<string, unknown>;
  headers?: Record<string, HeaderDoc>;
}

/** A request body: its schema, and its entry in the OpenAPI document. */
export interface BodyDoc {
  schema: z.ZodType;
  example: unknown;
  /** Default `application/json`. */
  contentType?: 'application/json' | 'application/x-www-form-urlencoded';
  /** Default 1 MiB. */
  maxBytes?: number;
  /** Names of members whose JSON is kept as it was sent: see `parseExact`. Default: none. */
  verbatim?: ReadonlySet<string>;
  /** Named schemas to which the schema refers by `$ref`: the operation parses these parts itself. */
  parts?: readonly z.ZodType[];
  /** Whether it may be omitted, which means `{}`. Default: false. */
  optional?: boolean;
}

/** A group of operations in the OpenAPI document. */
export interface Tag {
  name: string;
  description: string;
}

/** What a caller needs: nothing, or valid credentials (the default) with a scope; `signed-in`: with any scopes. */
type Access =
  | { security: 'public'; scope?: never }
  | { security?: Exclude<Security, 'public'>; scope: Scope | 'signed-in' };

/** One operation of an API, declared once: its route, validation, OpenAPI entry and types come from this. */
export type Operation = Access & {
  id: string;
  method: Method;
  /** With `{name}` for each path parameter. */
  path: string;
  tag: string;
  summary: string;
  description?: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  /** Request headers that the operation reads, for the OpenAPI document. */
  requestHeaders?: Record<string, HeaderDoc>;
  body?: BodyDoc;
  responses: Readonly<Record<number, ResponseDoc>>;
  errors?: readonly ErrorDoc[];
  /** Default true; false for an operation without dependencies, which never responds with 503. */
  needsStore?: boolean;
};

/** The arguments of an operation's handler: validated input, and the request and response where it needs them. */
export interface Input<Op extends Operation> {
  params: Op extends { params: infer Params extends z.ZodObject } ? z.output<Params> : Record<string, never>;
  query: Op extends { query: infer Query extends z.ZodObject } ? z.output<Query> : Record<string, never>;
  body: Op extends { body: { schema: infer Body extends z.ZodType } } ? z.output<Body> : undefined;
  req: Request;
  res: Response;
}

/** The result of a handler. `json` is sent as it is; `etag` makes a GET conditional. */
export interface Reply {
  status: number;
  headers?: Record<string, string>;
  json?: string;
  etag?: string;
}

/** A handler without a result has responded on `res` itself. */
export type Handler<Op extends Operation> = (input: Input<Op>) => Promise<Reply | undefined> | Reply | undefined;

/** Throws the 403 or 404 of a resource. Called only for an invalid body, because these take precedence over 400. */
export type ResourceCheck<Op extends Operation> = (params: Input<Op>['params'], req: Request) => Promise<void>;

/** An operation and its handler. */
export interface Binding {
  operation: Operation;
  handler: Handler<Operation>;
  resourceCheck?: ResourceCheck<Operation>;
}

/** Declares an operation; keeps its exact type, which determines the input of its handler. */
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

/** A JSON reply; the default status is 200. */
export function json(value: unknown, status = 200, headers?: Record<string, string>): Reply {
  return { status, json: JSON.stringify(value), headers };
}
