import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject, ownValue } from '@agent-fleet/shared/contract/json-object';
import { addComponents, type Components, reachableComponents, toComponentsObject } from './components.ts';
import type { Part, SecurityRequirement } from './part.ts';
import { METHODS, type PathItem, readPathItems } from './path-items.ts';
import { MergeError, mapReferences } from './references.ts';
import { addTags, type TagObject } from './tags.ts';

interface Merged {
  paths: Map<string, JsonObject>;
  /** Paths without the names of their parameters, and the parts that declare them. */
  declaredBy: Map<string, string>;
  /** Operation ids, and how often each has been repeated. */
  operationIds: Map<string, number>;
  components: Components;
  /** Tags by name, in the order of the parts. */
  tags: Map<string, TagObject>;
}

const KEPT_OF_PATH = ['summary', 'description', 'parameters'];

/**
 * Merges OpenAPI 3.1 documents: `base` supplies `info`, servers and security schemes. Servers, global security,
 * webhooks and security schemes of a part are dropped; only the components that an included path needs are kept.
 * @throws MergeError for a part that is not an OpenAPI 3.1 document or collides with a previous part
 */
export function mergeDocuments(base: JsonObject, parts: readonly Part[]): JsonObject {
  const schemes = ownValue(ownValue(base, 'components'), 'securitySchemes') ?? {};
  const merged: Merged = {
    paths: new Map(),
    declaredBy: new Map(),
    operationIds: new Map(),
    components: new Map(),
    tags: new Map(),
  };
  for (const part of parts) addPart(merged, part, schemes);
  return {
    openapi: '3.1.0',
    ...base,
    tags: [...merged.tags.values()],
    paths: Object.fromEntries(merged.paths),
    components: { ...toComponentsObject(merged.components), securitySchemes: schemes },
  };
}

function addPart(merged: Merged, part: Part, schemes: unknown): void {
  const items = readPathItems(part).map((described): [string, JsonObject] => {
    declarePath(merged, part, described.template);
    return [described.template, toPathItem(merged, part, described)];
  });
  const pathItems = items.map(([, item]) => item);
  for (const item of pathItems) requireKnownSchemes(item, schemes);
  const components = reachableComponents(part.document, pathItems);
  addTags(merged.tags, part, pathItems);
  const change = addComponents(merged.components, part.name, components);
  for (const [path, item] of items) {
    const rewritten = mapReferences(item, change) as JsonObject;
    if (part.responses) addResponses(rewritten, (method) => part.responses?.(path, method) ?? {});
    merged.paths.set(path, rewritten);
  }
}

/** Detects paths that a router cannot distinguish: segments with a parameter are all equal. */
function declarePath({ declaredBy }: Merged, { name }: Part, path: string): void {
  const shape = path.replace(/[^/]*\{[^/]*/g, '{}');
  const other = declaredBy.get(shape);
  if (other !== undefined) throw new MergeError(`${name}: ${path} is already declared by ${other}`);
  declaredBy.set(shape, name);
}

function toPathItem(merged: Merged, part: Part, { template, item, methods }: PathItem): JsonObject {
  const result: JsonObject = {};
  for (const key of KEPT_OF_PATH) if (Object.hasOwn(item, key)) result[key] = item[key];
  for (const method of methods)
    result[method] = toOperation(merged, part, [template, method], item[method] as JsonObject);
  return result;
}

function toOperation(
  { operationIds }: Merged,
  part: Part,
  [path, method]: [path: string, method: string],
  operation: JsonObject,
): JsonObject {
  const security =
    part.security?.(path, method, operation) ??
    ownValue(operation, 'security') ??
    ownValue(part.document, 'security') ??
    [];
  if (!isSecurity(security)) throw new MergeError(`${part.name}: ${path} has an invalid security`);
  const operationId = ownValue(operation, 'operationId');
  if (typeof operationId !== 'string') return { ...operation, security };
  const id = freeId(operationIds, part.name, operationId);
  return { ...operation, operationId: id, security };
}

/** Keeps a counter per id, so that many equal ids cost no more than as many different ones. */
function freeId(taken: Map<string, number>, part: string, id: string): string {
  let free = id;
  let number = taken.get(id) ?? 0;
  for (; taken.has(free); number++) free = number === 0 ? `${part}_${id}` : `${part}_${id}_${number + 1}`;
  taken.set(id, number);
  if (free !== id) taken.set(free, 0);
  return free;
}

function isSecurity(value: unknown): value is SecurityRequirement[] {
  return Array.isArray(value) && value.every((one) => isObject(one) && Object.values(one).every(Array.isArray));
}

function requireKnownSchemes(item: JsonObject, schemes: unknown): void {
  for (const method of METHODS) {
    const operation = item[method] as { security: SecurityRequirement[] } | undefined;
    for (const name of operation?.security.flatMap(Object.keys) ?? []) {
      if (ownValue(schemes, name) === undefined) throw new MergeError(`unknown security scheme: ${name}`);
    }
  }
}

function addResponses(item: JsonObject, addedTo: (method: string) => JsonObject): void {
  for (const method of METHODS) {
    const operation = item[method];
    if (!isObject(operation)) continue;
    const responses = isObject(operation.responses) ? operation.responses : {};
    for (const [status, response] of Object.entries(addedTo(method))) {
      responses[status] = Object.hasOwn(responses, status) ? withExamples(responses[status], response) : response;
    }
    operation.responses = responses;
  }
}

/** Adds the JSON examples of another response to a response. */
function withExamples(response: unknown, added: unknown): unknown {
  const media = ownValue(ownValue(response, 'content'), 'application/json');
  const more = ownValue(ownValue(ownValue(added, 'content'), 'application/json'), 'examples');
  if (!isObject(media) || !isObject(more) || 'example' in media) return response;
  const examples: JsonObject = { ...(isObject(media.examples) && media.examples) };
  for (const [name, example] of Object.entries(more)) {
    if (isDeepStrictEqual(examples[name], example)) continue;
    examples[Object.hasOwn(examples, name) ? `gateway_${name}` : name] = example;
  }
  media.examples = examples;
  return response;
}
