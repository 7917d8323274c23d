import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** What is wrong with a schema, and where. */
export interface SchemaProblem {
  path: string[];
  message: string;
}

const MAX_DEPTH = 64;
/** Both meta-schemas compare each two types, which would take long. There are seven. */
const MAX_TYPES = 7;
/** The values of these are no schemas. */
const DATA = new Set(['const', 'enum', 'default', 'examples']);
/** The values of these are objects of schemas by names, not by keywords. */
const BY_NAME = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);
const REFERENCES = new Set(['$ref', '$dynamicRef', '$recursiveRef']);

/** Formats are checked below: ajv does not check those of a meta-schema. */
const OPTIONS = { validateFormats: false, logger: false } as const;
/** To parse a class takes quadratic time in the characters that it lists. */
const MAX_PATTERN = 1_024;
const NO_PATTERN = `must be a regular expression of at most ${MAX_PATTERN} characters`;
const TOO_MANY_TYPES = `must have at most ${MAX_TYPES} types`;

const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema';
const DRAFT_7 = 'http://json-schema.org/draft-07/schema';

const validate2020 = new Ajv2020(OPTIONS).getSchema(DRAFT_2020) as ValidateFunction;
const validateDraft7 = compileDraft7();
const VALIDATORS: ReadonlyMap<unknown, ValidateFunction> = new Map([
  [undefined, validate2020],
  [DRAFT_2020, validate2020],
  [`${DRAFT_2020}#`, validate2020],
  [DRAFT_7, validateDraft7],
  [`${DRAFT_7}#`, validateDraft7],
]);

/**
 * Finds why an object is not a JSON Schema of draft 2020-12 (the default) or 7 without references to other documents.
 * Nothing is compiled from it: it is as untrusted as any input.
 */
export function findSchemaProblem(schema: Record<string, unknown>): SchemaProblem | undefined {
  const validate = VALIDATORS.get(Object.hasOwn(schema, '$schema') ? schema.$schema : undefined);
  if (!validate) return { path: ['$schema'], message: `must be ${DRAFT_2020} or ${DRAFT_7}#` };
  const problem = findInSchema(schema, []);
  if (problem || validate(schema)) return problem;
  const { instancePath = '', message = 'is not a JSON Schema' } = validate.errors?.[0] ?? {};
  return { path: toPath(instancePath), message };
}

/** Without its rule that no two values of an `enum` are equal: 64 KiB of them would take a third of a second. */
function compileDraft7(): ValidateFunction {
  const { schema } = new Ajv(OPTIONS).getSchema(DRAFT_7) as ValidateFunction;
  const draft7 = structuredClone(schema) as { properties: { enum: { uniqueItems?: boolean } } };
  delete draft7.properties.enum.uniqueItems;
  return new Ajv({ ...OPTIONS, meta: false, validateSchema: false }).compile(draft7);
}

function findInSchema(schema: unknown, path: string[]): SchemaProblem | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  if (path.length > MAX_DEPTH) return { path: [], message: `must not be nested deeper than ${MAX_DEPTH} levels` };
  for (const [key, value] of Object.entries(schema)) {
    const at = [...path, key];
    const problem = findInKeyword(key, value, at);
    if (problem) return problem;
  }
  return undefined;
}

function findInKeyword(key: string, value: unknown, path: string[]): SchemaProblem | undefined {
  if (DATA.has(key)) return undefined;
  if (REFERENCES.has(key) && typeof value === 'string' && !value.startsWith('#')) {
    return { path, message: 'must begin with #: other documents are not read' };
  }
  if (key === 'type' && Array.isArray(value) && value.length > MAX_TYPES) return { path, message: TOO_MANY_TYPES };
  if (key === 'pattern' && typeof value === 'string' && !isPattern(value)) return { path, message: NO_PATTERN };
  if (!BY_NAME.has(key) || typeof value !== 'object' || value === null) return findInSchema(value, path);
  for (const [name, schema] of Object.entries(value)) {
    const at = [...path, name];
    if (key === 'patternProperties' && !isPattern(name)) return { path: at, message: NO_PATTERN };
    const problem = findInSchema(schema, at);
    if (problem) return problem;
  }
  return undefined;
}

/** The parts of a JSON pointer (RFC 6901). */
function toPath(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** ECMA-262, as the specification recommends. It is parsed, and never matched with anything here. */
function isPattern(text: string): boolean {
  if (text.length > MAX_PATTERN) return false;
  // To parse each class of a property takes up to 0.1 ms: as many as fit would take a second, so \d stands for them.
  return isRegExp(text.replace(ESCAPE, (found) => (isProperty(found) ? '\\d' : found)));
}

/** An escape: `\p{…}` as a whole, of any other the first two characters. */
const ESCAPE = /\\(?:[pP]\{[\w=]{1,100}\}|.)/gsu;

/** The classes of properties that were found to be valid: Unicode has some thousand. */
const PROPERTIES = new Set<string>();

function isProperty(found: string): boolean {
  if (PROPERTIES.has(found)) return true;
  const isValid = /^\\p\{/i.test(found) && isRegExp(found);
  if (isValid) PROPERTIES.add(found);
  return isValid;
}

function isRegExp(text: string): boolean {
  try {
    new RegExp(text, 'u');
    return true;
  } catch {
    return false;
  }
}
