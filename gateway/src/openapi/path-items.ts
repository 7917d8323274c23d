import { isObject, type JsonObject, ownValue } from './json-object.ts';
import type { Part } from './part.ts';
import { MergeError } from './references.ts';

/** Without `OPTIONS`, which the gateway serves itself, and `TRACE`, which is refused. */
export const METHODS = ['get', 'put', 'post', 'delete', 'head', 'patch'];

/** Each operation also gets the gateway's own responses, 4 KB of text. */
const MAX_OPERATIONS = 250;
const MAX_TEMPLATE_LENGTH = 500;
/** Segments of unreserved characters and `{parameters}`: they need no escape and are unambiguous. */
const TEMPLATE = /^(?:\/(?!\.{1,2}(?:\/|$))(?:[\w.~-]|\{[\w.-]{1,64}\})+)+$/;

/** A path of a part. */
export interface PathItem {
  template: string;
  item: JsonObject;
  /** In the order of the document. */
  methods: string[];
  /** Those whose operation has a request body. */
  methodsWithBody: string[];
}

/** @throws MergeError unless it is an OpenAPI 3.1 document with well-formed paths */
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
  if (template.length > MAX_TEMPLATE_LENGTH || !TEMPLATE.test(template)) throw new MergeError(`${place} is no path`);
  if (!isObject(item) || Object.hasOwn(item, '$ref')) {
    throw new MergeError(`${place} is not described in its own place`);
  }
  for (const key of ['summary', 'description']) requireIf(ownValue(item, key), isText, `${place} ${key}`);
  requireParameters(place, item);
  const methods = Object.keys(item).filter((key) => METHODS.includes(key));
  for (const method of methods) requireOperation(`${place} ${method}`, item[method]);
  const methodsWithBody = methods.filter((method) => ownValue(item[method], 'requestBody') !== undefined);
  return { template, item, methods, methodsWithBody };
}

const TEXTS = ['operationId', 'summary', 'description'];

/** Rejects operations that documentation pages and client generators cannot read. */
function requireOperation(place: string, operation: unknown): void {
  if (!isObject(operation)) throw new MergeError(`${place} is not an operation`);
  const read = (key: string) => ownValue(operation, key);
  for (const key of TEXTS) requireIf(read(key), isText, `${place} ${key}`);
  for (const key of ['responses', 'requestBody']) requireIf(read(key), isObject, `${place} ${key}`);
  requireIf(read('tags'), (tags) => Array.isArray(tags) && tags.every(isText), `${place} tags`);
  for (const [status, response] of Object.entries(read('responses') ?? {})) {
    requireIf(response, isObject, `${place} response ${status.slice(0, 20)}`);
  }
  requireParameters(place, operation);
}

function requireParameters(place: string, described: JsonObject): void {
  const isList = (value: unknown) => Array.isArray(value) && value.every(isObject);
  requireIf(ownValue(described, 'parameters'), isList, `${place} parameters`);
}

function requireIf(value: unknown, isGood: (value: unknown) => boolean, place: string): void {
  if (value !== undefined && !isGood(value)) throw new MergeError(`${place}: is malformed`);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
