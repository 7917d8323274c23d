import { runInNewContext } from 'node:vm';
import { type OpenApiDocument, operationsOf } from './document.ts';

/** The parts of a JSON schema that the rules read. */
interface Node {
  $ref?: string;
  type?: string | string[];
  default?: unknown;
  enum?: unknown[];
  properties?: Record<string, Node>;
  required?: string[];
  anyOf?: unknown;
  oneOf?: Node[];
  discriminator?: object;
}

/** Of the language; those of a browser are no hindrance. */
const GLOBALS = new Set<string>(runInNewContext('Object.getOwnPropertyNames(globalThis)'));

/**
 * What breaks clients that others generate: unions that cannot be told apart, objects as defaults, headers that only
 * some responses of an operation require, and names that are the same after a generator has renamed them.
 */
export function findGeneratorFaults(document: OpenApiDocument): string[] {
  const { components, paths } = document;
  const schemas = components.schemas as Record<string, Node>;
  const faults = [...nodesIn({ schemas, paths }, '')].flatMap(([at, node]) => [
    ...unionFaults(node, schemas).map((fault) => `${at}: ${fault}`),
    ...(isObject(node.default) && !Array.isArray(node.default) ? [`${at}: an object is the default`] : []),
  ]);
  return [...faults, ...headerFaults(document), ...nameFaults(document, schemas)];
}

/** All objects of a document, but for examples and the lists of properties, with their places. */
function* nodesIn(value: unknown, at: string): Generator<[at: string, node: Node]> {
  if (!isObject(value)) return;
  if (!Array.isArray(value) && !at.endsWith('/properties')) yield [at, value as Node];
  for (const [key, child] of Object.entries(value)) {
    if (!/^examples?$/.test(key) || at.endsWith('/properties')) yield* nodesIn(child, `${at}/${key}`);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Values of a union differ in their JSON type, or by a discriminator, or each member requires what no other has. */
function unionFaults({ anyOf, oneOf, discriminator }: Node, schemas: Record<string, Node>): string[] {
  if (Array.isArray(anyOf)) return ['is anyOf, not oneOf'];
  if (!Array.isArray(oneOf)) return [];
  const members = oneOf.map((member) => schemas[nameOf(member)] ?? member).filter(({ type }) => type !== 'null');
  if (members.length < 2) return [];
  if (members.some(({ type }) => type === 'array')) return ['is a union with an array'];
  const objects = members.filter(({ type }) => type === 'object');
  const types = new Set(members.map(({ type }) => type));
  const areTold = objects.every(({ required = [] }) =>
    required.some((name) => objects.filter(({ properties = {} }) => name in properties).length === 1),
  );
  const isClear = types.size === members.length - Math.max(objects.length - 1, 0);
  return isClear && (discriminator || objects.length < 2 || areTold) ? [] : ['is a union whose members look the same'];
}

function nameOf({ $ref = '' }: Node): string {
  return $ref.replace('#/components/schemas/', '');
}

function headerFaults(document: OpenApiDocument): string[] {
  return operationsOf(document).flatMap(({ name, doc }) => {
    const headers = Object.values(doc.responses).flatMap((response) => Object.entries(response.headers ?? {}));
    return [...Map.groupBy(headers, ([header]) => header)]
      .filter(([, same]) => new Set(same.map(([, { required = false }]) => required)).size > 1)
      .map(([header]) => `${name}: ${header} is required in some responses only`);
  });
}

/** Go has one scope for the types, constructors and constants of a package; file names have no case. */
function nameFaults(document: OpenApiDocument, schemas: Record<string, Node>): string[] {
  const named = Object.entries(schemas);
  const parts = named.flatMap(([name, { properties = {} }]) =>
    Object.entries(properties).map(([key, part]): [string, Node] => [name + pascal(key), part]),
  );
  const enums = [...named, ...parts].filter(([, node]) => node.enum);
  const types: [name: string, of: string][] = [
    ...named.flatMap(([name]) => ['', 'New', 'Nullable'].map((word): [string, string] => [word + name, name])),
    ...parts.filter(([, node]) => node.enum).map(([name]): [string, string] => [name, `the values of ${name}`]),
    ...Object.keys(document.components.securitySchemes).map((name): [string, string] => [
      pascal(name),
      `scheme ${name}`,
    ]),
    ...operationsOf(document).flatMap(({ name, doc }) =>
      ['Params', 'Request', 'Response', 'Res'].map((word): [string, string] => [pascal(doc.operationId) + word, name]),
    ),
  ];
  const doubled = [...Map.groupBy(types, ([name]) => name.toLowerCase()).values()].filter((same) => same.length > 1);
  const isEnum = new Set(enums.map(([name]) => name));
  const constants = enums.flatMap(([name, node]) =>
    (node.enum ?? [])
      .filter((value) => isEnum.has(pascal(String(value))))
      .map((value) => `${name}: ${value} is a type`),
  );
  const builtIn = named.filter(([name]) => GLOBALS.has(name)).map(([name]) => `${name} is a global of JavaScript`);
  return [
    ...builtIn,
    ...doubled.map((same) => `${same[0]?.[0]} is of ${same.map(([, of]) => of).join(' and ')}`),
    ...constants,
  ];
}

function pascal(text: string): string {
  return text.replace(/(?:^|[^A-Za-z0-9]+)(.?)/g, (_all, letter: string) => letter.toUpperCase());
}
