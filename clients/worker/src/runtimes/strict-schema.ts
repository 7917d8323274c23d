import { type JsonObject, objectOf, objectsOf } from './json-values.ts';

/** Keywords of OpenAI's strict mode that this check knows; with any other the API refuses the call. */
const KEYWORDS =
  /^(?:type|properties|required|additionalProperties|items|enum|const|anyOf|title|description|minimum|maximum)$/;

/**
 * Whether OpenAI's API takes the schema as it is: of all objects every property is required and none is additional. Not
 * more than is certain: an output is validated in any case.
 */
export function isStrictSchema(schema: JsonObject | undefined): boolean {
  return schema !== undefined && isStrictObject(withoutDraft(schema));
}

const withoutDraft = ({ $schema, ...schema }: JsonObject) => schema;

function isStrictObject(schema: JsonObject): boolean {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const isClosed = schema.type === 'object' && schema.additionalProperties === false;
  const properties = objectOf(schema.properties);
  return isClosed && Object.keys(properties).every((name) => required.includes(name)) && isStrict(schema);
}

function isStrict(schema: JsonObject): boolean {
  if (Object.keys(schema).length === 0 || !Object.keys(schema).every((keyword) => KEYWORDS.test(keyword))) return false;
  const { type, items, anyOf, properties } = schema;
  if (type === 'array' && items === undefined) return false;
  const isOpen = properties !== undefined && type !== 'object';
  const parts = [...(items === undefined ? [] : [objectOf(items)]), ...objectsOf(anyOf)];
  parts.push(...Object.values(objectOf(properties)).map(objectOf));
  return !isOpen && parts.every((part) => (part.type === 'object' ? isStrictObject(part) : isStrict(part)));
}
