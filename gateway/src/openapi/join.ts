import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject } from '@agent-fleet/shared/contract/json-object';

type Named = Record<string, unknown>;

/** One of the joined documents. */
export interface Part {
  paths?: Record<string, Record<string, unknown>>;
  components?: Record<string, Named>;
  tags?: { name: string }[];
}

/** Joins OpenAPI documents in their order. @throws Error for a name that two of them give to different things */
export function joinDocuments(parts: readonly Part[]) {
  const paths: NonNullable<Part['paths']> = {};
  const components: NonNullable<Part['components']> = {};
  const tags: Named = {};
  const operations: Named = {};
  for (const part of parts) {
    add('path', paths, part.paths);
    for (const [section, named] of Object.entries(part.components ?? {})) {
      components[section] ??= {};
      add(`component in ${section}`, components[section], named);
    }
    add('tag', tags, Object.fromEntries((part.tags ?? []).map((tag) => [tag.name, tag])));
    for (const operation of Object.values(part.paths ?? {}).flatMap(Object.values)) {
      if (operation.operationId !== undefined) add('operation', operations, { [operation.operationId]: operation });
    }
  }
  return { tags: Object.values(tags), paths, components };
}

function add(what: string, known: Named, more: Named = {}): void {
  for (const [name, value] of Object.entries(more)) {
    if (Object.hasOwn(known, name) && !isDeepStrictEqual(known[name], value)) {
      throw new Error(`Two services have a different ${what} of the name ${name}`);
    }
    known[name] = value;
  }
}

/** Adds responses to an operation, and their examples to those that it has. */
export function addResponses(operation: JsonObject, added: JsonObject): JsonObject {
  const responses: JsonObject = { ...(operation.responses as JsonObject) };
  for (const [status, response] of Object.entries(added)) {
    responses[status] = Object.hasOwn(responses, status) ? withExamples(responses[status], response) : response;
  }
  return { ...operation, responses };
}

/** A response with the JSON examples of another one. */
function withExamples(response: unknown, added: unknown): unknown {
  const { content, ...rest } = response as { content?: Record<string, JsonObject> };
  const media = content?.['application/json'];
  const more = (added as typeof response & { content?: Record<string, JsonObject> }).content?.['application/json'];
  if (!media || !isObject(more?.examples) || 'example' in media) return response;
  const examples: JsonObject = { ...(isObject(media.examples) && media.examples) };
  for (const [name, example] of Object.entries(more.examples)) {
    if (!isDeepStrictEqual(examples[name], example)) {
      examples[Object.hasOwn(examples, name) ? `gateway_${name}` : name] = example;
    }
  }
  return { ...rest, content: { ...content, 'application/json': { ...media, examples } } };
}
