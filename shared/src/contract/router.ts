import express, { type NextFunction, type Request, type RequestHandler, type Response, type Router } from 'express';
import { httpError } from '../http/errors.ts';
import { noneMatchHits } from '../http/etag.ts';
import { readBody } from './body.ts';
import { parseInput } from './input.ts';
import type { Binding, Input, Operation, Reply } from './operation.ts';

/** Creates the Express routes of `bindings`. Other methods of a known path get 405, `OPTIONS` 204, with `Allow`. */
export function createRouter(bindings: readonly Binding[]): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const byPath = Map.groupBy(bindings, ({ operation }) => operation.path);
  for (const [path, group] of byPath) {
    const route = router.route(path.replace(/\{(\w+)\}/g, ':$1'));
    for (const binding of group) route[binding.operation.method](serve(binding));
    route.all(refuseMethod(allowedMethods(group.map(({ operation }) => operation))));
  }
  return router;
}

function allowedMethods(operations: Operation[]): string {
  const methods = operations.map(({ method }) => method.toUpperCase());
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}

function refuseMethod(allow: string): RequestHandler {
  return (req, res) => {
    res.setHeader('allow', allow);
    if (req.method !== 'OPTIONS') throw httpError('method_not_allowed', `Allowed here: ${allow}`);
    res.status(204).end();
  };
}

function serve(binding: Binding): RequestHandler {
  const { operation, handler } = binding;
  const readsBody = operation.body ? readBody(operation.body) : undefined;
  return async (req: Request, res: Response, _next: NextFunction) => {
    const input = { params: req.params, query: {}, body: undefined, req, res } as unknown as Input<Operation>;
    if (operation.query) input.query = parseInput(operation.query, req.query) as never;
    if (readsBody) input.body = (await readOrMissing(binding, input, readsBody)) as never;
    const reply = await handler(input);
    if (reply) send(req, res, reply);
  };
}

/** Runs only for an invalid body: 404 takes precedence over 400 (docs/contract.md "Requests"). */
async function readOrMissing(
  { resourceCheck }: Binding,
  { params, req, res }: Input<Operation>,
  readsBody: (req: Request, res: Response) => Promise<unknown>,
): Promise<unknown> {
  try {
    return await readsBody(req, res);
  } catch (error) {
    await resourceCheck?.(params);
    throw error;
  }
}

function send(req: Request, res: Response, reply: Reply): void {
  for (const name in reply.headers) res.setHeader(name, reply.headers[name] as string);
  if (reply.etag !== undefined) {
    res.setHeader('etag', reply.etag);
    if (req.method !== 'PUT' && req.method !== 'POST' && noneMatchHits(req.headers['if-none-match'], reply.etag)) {
      res.writeHead(304).end();
      return;
    }
  }
  if (reply.json === undefined) {
    res.writeHead(reply.status).end();
    return;
  }
  res.setHeader('content-type', 'application/json; charset=utf-8');
  res.setHeader('content-length', Buffer.byteLength(reply.json));
  res.writeHead(reply.status);
  res.end(reply.json);
}
