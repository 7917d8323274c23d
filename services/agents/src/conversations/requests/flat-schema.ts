/** What is wrong with a schema or value, and where. */
interface Problem {
  path: string[];
  message: string;
}

type Json = Record<string, unknown>;

const MAX_PROPERTIES = 50;
const MAX_CHOICES = 100;
const KEYWORDS = new Set(['$schema', 'type', 'title', 'description', 'properties', 'required', 'additionalProperties']);
const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'array']);

/**
 * Finds why an object is not a flat schema, as in an elicitation of the Model Context Protocol (2025-11-25, "Requested
 * schema"): an object whose properties are texts, numbers, booleans, or one or several of listed texts.
 */
export function findFlatSchemaProblem(schema: Json): Problem | undefined {
  const unknown = Object.keys(schema).find((name) => !KEYWORDS.has(name));
  if (unknown !== undefined) return { path: [unknown], message: 'is not allowed in a flat schema' };
  if (schema.type !== 'object') return { path: ['type'], message: 'must be object' };
  if (!isObject(schema.properties)) return { path: ['properties'], message: 'must be an object' };
  const { properties, required = [] } = schema;
  const names = Object.keys(properties);
  if (names.length === 0 || names.length > MAX_PROPERTIES) {
    return { path: ['properties'], message: `must have 1 to ${MAX_PROPERTIES} properties` };
  }
  if (!Array.isArray(required) || !required.every((name) => Object.hasOwn(properties, String(name)))) {
    return { path: ['required'], message: 'must list names of properties' };
  }
  for (const name of names) {
    const message = findPropertyProblem(properties[name]);
    if (message !== undefined) return { path: ['properties', name], message };
  }
  return undefined;
}

function findPropertyProblem(property: unknown): string | undefined {
  if (!isObject(property)) return 'must be an object';
  const { type, title, description } = property;
  if (typeof type !== 'string' || !TYPES.has(type)) return `must have a type of ${[...TYPES].join(', ')}`;
  if (![title, description].every((text) => text === undefined || typeof text === 'string')) {
    return 'must have texts as title and description';
  }
  const isList = type === 'array';
  const choices = choicesOf(isList ? property.items : property);
  if (isList && choices === undefined) return 'must have items with an enum';
  if (choices === undefined) return undefined;
  if (!isList && type !== 'string') return 'may have an enum only as a string';
  const isValid =
    choices.length > 0 && choices.length <= MAX_CHOICES && choices.every((one) => typeof one === 'string');
  return isValid ? undefined : `must have an enum of 1 to ${MAX_CHOICES} texts`;
}

/** The listed texts: of `enum`, or of `oneOf` or `anyOf` with a `const` each. Undefined without any. */
function choicesOf(property: unknown): unknown[] | undefined {
  if (!isObject(property)) return undefined;
  const { enum: list, oneOf, anyOf } = property;
  if (Array.isArray(list)) return list;
  const titled = oneOf ?? anyOf;
  return Array.isArray(titled) ? titled.map((choice) => (isObject(choice) ? choice.const : undefined)) : undefined;
}

/** Finds why values do not fit a flat schema. */
export function findValuesProblem(schema: Json, values: Json): Problem | undefined {
  const { properties, required = [] } = schema as { properties: Record<string, Json>; required?: string[] };
  const missing = required.find((name) => !Object.hasOwn(values, name));
  if (missing !== undefined) return { path: [missing], message: 'is required' };
  for (const [name, value] of Object.entries(values)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const message = property ? findValueProblem(property, value) : 'is not a property of the schema';
    if (message !== undefined) return { path: [name], message };
  }
  return undefined;
}

function findValueProblem(property: Json, value: unknown): string | undefined {
  const { type } = property;
  if (type === 'boolean') return typeof value === 'boolean' ? undefined : 'must be true or false';
  if (type === 'number' || type === 'integer') return findNumberProblem(property, value);
  const choices = choicesOf(type === 'array' ? property.items : property);
  if (type === 'array') {
    const isValid = Array.isArray(value) && value.every((one) => choices?.includes(one));
    return isValid && isWithin(value.length, property.minItems, property.maxItems)
      ? undefined
      : `must be a list of ${choices?.join(', ')}`;
  }
  if (typeof value !== 'string') return 'must be a text';
  if (choices) return choices.includes(value) ? undefined : `must be one of ${choices.join(', ')}`;
  return isWithin([...value].length, property.minLength, property.maxLength) ? undefined : 'has a wrong length';
}

function findNumberProblem({ type, minimum, maximum }: Json, value: unknown): string | undefined {
  const isNumber = type === 'integer' ? Number.isInteger(value) : typeof value === 'number';
  if (!isNumber) return type === 'integer' ? 'must be a whole number' : 'must be a number';
  return isWithin(value as number, minimum, maximum) ? undefined : 'is out of range';
}

function isWithin(size: number, min: unknown, max: unknown): boolean {
  return !(typeof min === 'number' && size < min) && !(typeof max === 'number' && size > max);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
