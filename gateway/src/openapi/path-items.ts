import { isObject, type JsonObject, ownValue } from '@agent-fleet/shared/contract/json-object';
import { REQUIRED_SCOPE } from '@agent-fleet/shared/contract/security-schemes';
import { isScope, type Scope } from '@agent-fleet/shared/identity/scopes';
import { z } from 'zod';
import type { PathMethods } from '../routing/route-table.ts';
import type { Part } from './part.ts';
import { MergeError } from './references.ts';

/** Without `OPTIONS`, which the gateway serves itself, and `TRACE`, which is refused. */
export const METHODS = ['get', 'put', 'post', 'delete', 'head', 'patch'];

/** Each operation also gets the gateway's own responses, 4 KB of text. */
const MAX_OPERATIONS = 250;
const MAX_TEMPLATE_LENGTH = 500;
/** Segments of unreserved characters and `{parameters}`: they need no escape and are unambiguous. */
const TEMPLATE = /^(?:\/(?!\.{1,2}(?:\/|$))(?:[\w.~-]|\{[\w.-]{1,64}\})+)+$/;

const object = z.custom<JsonObject>(isObject);
const described = {
  summary: z.string().optional(),
  description: z.string().optional(),
  parameters: z.array(object).optional(),
};
/** Others cannot be read by documentation pages and client generators. */
const OPERATION = z.object({
  ...described,
  operationId: z.string().optional(),
  tags: z.array(z.string()).optional(),
  requestBody: object.optional(),
  responses: z.record(z.string(), object).optional(),
});
const PATH_ITEM = z.object({
  ...described,
  ...Object.fromEntries(METHODS.map((method) => [method, OPERATION.optional()])),
});

/** A path of a part. */
export interface PathItem extends PathMethods {
  item: JsonObject;
}

/** The included paths of a part. @throws MergeError unless it is an OpenAPI 3.1 document with well-formed paths */
export function readPathItems({ name, document, accepts }: Part): PathItem[] {
  if (!/^3\.1\.\d{1,3}$/.test(String(ownValue(document, 'openapi')))) throw new MergeError(`${name}: not OpenAPI 3.1`);
  const paths = ownValue(document, 'paths');
  if (!isObject(paths)) throw new MergeError(`${name}: no paths`);
  const items = Object.entries(paths)
    .filter(([template]) => accepts(template))
    .map(([template, item]) => readPathItem(name, template, item));
  const operations = items.reduce((sum, { methods }) => sum + methods.length, 0);
  if (Math.max(operations, items.length) > MAX_OPERATIONS) {
    throw new MergeError(`${name}: has more than ${MAX_OPERATIONS} operations`);
  }
  return items;
}

function readPathItem(name: string, template: string, item: unknown): PathItem {
  const place = `${name}: ${JSON.stringify(template.slice(0, 100))}`;
  if (template.length > MAX_TEMPLATE_LENGTH || !TEMPLATE.test(template))
    throw new MergeError(`${place} is not a valid path`);
  if (!isObject(item) || Object.hasOwn(item, '$ref')) {
    throw new MergeError(`${place} must be an object without $ref`);
  }
  const [problem] = PATH_ITEM.safeParse(item).error?.issues ?? [];
  if (problem) throw new MergeError(`${place} ${problem.path.join(' ').slice(0, 100)}: is malformed`);
  const methods = Object.keys(item).filter((key) => METHODS.includes(key));
  const scopes = readScopes(place, item, methods);
  const methodsWithBody = methods.filter((method) => ownValue(item[method], 'requestBody') !== undefined);
  return { template, item, methods, methodsWithBody, scopes };
}

/** An operation without a known scope would be open to all who have credentials. */
function readScopes(place: string, item: JsonObject, methods: readonly string[]): Map<string, Scope> {
  const scopes = new Map<string, Scope>();
  for (const method of methods) {
    const scope = ownValue(item[method], REQUIRED_SCOPE);
    if (scope === undefined || scope === null) continue;
    if (typeof scope !== 'string' || !isScope(scope)) throw new MergeError(`${place} ${method}: has an unknown scope`);
    scopes.set(method, scope);
  }
  return scopes;
}
