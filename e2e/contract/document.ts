export const JSON_TYPE = 'application/json';
export const STREAM_TYPE = 'text/event-stream';
/** https://github.com/ndjson/ndjson-spec */
export const LINES_TYPE = 'application/x-ndjson';

/** The parts of an OpenAPI 3.1 document that the tests read. */
export interface OpenApiDocument {
  openapi: string;
  info: object;
  servers: object[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, OperationDoc>>;
  components: {
    schemas: Record<string, Schema>;
    securitySchemes: Record<string, { type: string; flows?: { password?: { tokenUrl: string; scopes?: object } } }>;
  };
}

interface Schema {
  $ref?: string;
  type?: string | string[];
  pattern?: string;
  default?: unknown;
  enum?: string[];
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
}

interface OperationDoc {
  operationId: string;
  tags?: string[];
  security?: Record<string, string[]>[];
  /** The scope that the caller needs; null where valid credentials are enough. Absent where none are needed. */
  'x-required-scope'?: string | null;
  parameters?: { name: string; example?: unknown; schema?: Schema }[];
  requestBody?: { required?: boolean; content: Record<string, MediaDoc> };
  responses: Record<string, ResponseDoc>;
}

export interface ResponseDoc {
  content?: Record<string, MediaDoc>;
  headers?: Record<string, { required?: boolean; schema?: { type?: string } }>;
}

export interface MediaDoc {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { value?: unknown }>;
}

export interface Operation {
  /** `GET /agents` */
  name: string;
  doc: OperationDoc;
  /** JSON pointer into the document. */
  pointer: string;
}

export function operationsOf(document: OpenApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, doc]) => ({
      name: `${method.toUpperCase()} ${path}`,
      doc,
      pointer: toPointer('paths', path, method),
    })),
  );
}

/**
 * Outcomes of an operation: `200`, `200 text/event-stream` for another representation, `403 forbidden` for another
 * error of the same status than the first.
 */
export function outcomesOf({ responses }: OperationDoc): string[] {
  return Object.entries(responses).flatMap(([status, { content = {} }]) => {
    const types = Object.keys(content);
    const others = types.length > 1 ? types.filter((type) => type !== JSON_TYPE) : [];
    return [status, ...[...others, ...furtherErrors(status, content[JSON_TYPE])].map((what) => `${status} ${what}`)];
  });
}

/** The error codes of a client error, without the first. */
function furtherErrors(status: string, media: MediaDoc | undefined): string[] {
  if (!media || !status.startsWith('4')) return [];
  const codes = examplesOf(media).map(([, value]) => (value as { error?: string } | undefined)?.error ?? '');
  return [...new Set(codes)].slice(1);
}

/** The names of all fields of a request body, including nested ones. */
export function fieldsOf({ components }: OpenApiDocument, { requestBody }: OperationDoc): string[] {
  const namesIn = ({ $ref = '', properties = {}, items }: Schema): string[] => {
    const referenced = components.schemas[$ref.replace('#/components/schemas/', '')];
    const inner = [...Object.values(properties), items, referenced].filter((one) => one !== undefined);
    return [...Object.keys(properties), ...inner.flatMap(namesIn)];
  };
  return Object.values(requestBody?.content ?? {}).flatMap(({ schema = {} }) => namesIn(schema));
}

/** Escapes a key for a JSON pointer (RFC 6901). */
export function toPointer(...segments: string[]): string {
  return segments.map((segment) => `/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** All examples of a media type by name. */
export function examplesOf({ example, examples = {} }: MediaDoc): [name: string, value: unknown][] {
  const named = Object.entries(examples).map(([name, { value }]): [string, unknown] => [name, value]);
  return example === undefined ? named : [['example', example], ...named];
}
