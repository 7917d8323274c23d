import type { OpenApiDocument } from './document.ts';

/** The parts of a JSON schema that the rules read. */
interface Node {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Node>;
  required?: string[];
  items?: Node;
  additionalProperties?: boolean | Node;
  allOf?: Node[];
  anyOf?: Node[];
  oneOf?: Node[];
}

/** Fields of responses that may be absent, and what they are named in the contract. */
const OPTIONAL = new Set([
  'AccessToken.refresh_token',
  'AccessToken.scope',
  'AuditEvent.details',
  'ErrorBody.details',
  'ErrorDetails.fields',
  'ErrorDetails.required',
  'Event.agent_id',
  'Event.data',
  'Event.status',
  'Event.task_id',
  'InboxItem.answer',
  'InboxItem.message_id',
  'InboxItem.mode',
  'InboxItem.reason',
  'InboxItem.request_id',
  'InboxItem.text',
  'InputAnswer.tool_input',
  'InputDefault.tool_input',
  'Lease.dependencies',
  'Lease.resume',
  'LeaseDependency.result',
  'McpServer.args',
  'McpServer.command',
  'McpServer.env',
  'McpServer.headers',
  'McpServer.url',
  'RejectedRecord.id',
  'RejectedRecord.source',
  'Suggestion.count',
  'Suggestion.id',
  'SecretReference.prefix',
  'Task.after',
  'Task.after_failure',
  'Task.agent_version',
  'Task.created_by',
  'Task.requires',
  'Waiting.ahead',
  'Waiting.until',
  'Task.concurrency_key',
  'Task.continued_by',
  'Waiting.accepts',
  'Waiting.key',
  'Waiting.missing_labels',
  'Waiting.on',
  'Waiting.worker_id',
]);
/** All but the id is absent unless it was asked for. */
const OPTIONAL_AS_A_WHOLE = new Set(['AgentFields', 'TaskFields', 'SkillFields', 'SkillFacets']);

/**
 * What generators of clients stumble over: objects without a name, named schemas that are null as well, and fields that
 * responses always have, but that are not required.
 */
export function findSchemaFaults({ components, paths }: OpenApiDocument): string[] {
  const schemas = components.schemas as Record<string, Node>;
  const named = Object.entries(schemas);
  const bodies = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { requestBody, responses }]) => [
      ...contentsOf(`${method} ${path}`, requestBody?.content),
      ...Object.values(responses).flatMap(({ content }) => contentsOf(`${method} ${path}`, content)),
    ]),
  );
  const served = reachable(
    schemas,
    Object.values(paths).flatMap((item) =>
      Object.values(item).flatMap(({ responses }) =>
        Object.values(responses).flatMap(({ content = {} }) =>
          Object.values(content).map(({ schema }) => schema as Node),
        ),
      ),
    ),
  );
  return [
    ...named.flatMap(([name, schema]) => partsOf(schema).flatMap((part) => unnamedIn(name, part))),
    ...bodies.flatMap(([name, schema]) => unnamedIn(name, schema)),
    ...named.filter(([, { type }]) => Array.isArray(type)).map(([name]) => `${name} may be null itself`),
    ...[...served].flatMap((name) => optionalFields(name, schemas[name] ?? {})),
  ];
}

function contentsOf(name: string, content: Record<string, { schema?: object }> = {}): [string, Node][] {
  return Object.values(content).map(({ schema = {} }) => [name, schema as Node]);
}

function unnamedIn(name: string, node: Node): string[] {
  return node.properties
    ? [`${name} has an object without a name`]
    : partsOf(node).flatMap((part) => unnamedIn(name, part));
}

function partsOf({
  properties = {},
  items,
  additionalProperties: more,
  allOf = [],
  anyOf = [],
  oneOf = [],
}: Node): Node[] {
  const others = [items, typeof more === 'object' ? more : undefined].filter((node) => node !== undefined);
  return [...Object.values(properties), ...others, ...allOf, ...anyOf, ...oneOf];
}

/** The names of the schemas that these need. */
function reachable(schemas: Record<string, Node>, from: readonly Node[]): Set<string> {
  const names = new Set<string>();
  const visit = (node: Node | undefined) => {
    if (!node) return;
    const name = node.$ref?.replace('#/components/schemas/', '');
    if (name !== undefined && !names.has(name)) {
      names.add(name);
      visit(schemas[name]);
    }
    partsOf(node).forEach(visit);
  };
  from.forEach(visit);
  return names;
}

function optionalFields(name: string, { properties = {}, required = [] }: Node): string[] {
  if (OPTIONAL_AS_A_WHOLE.has(name)) return [];
  const optional = Object.keys(properties).filter((field) => !required.includes(field));
  return optional
    .map((field) => `${name}.${field}`)
    .filter((field) => !OPTIONAL.has(field))
    .map((field) => `${field} is not required`);
}
