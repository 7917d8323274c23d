import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parseEvents } from '../harness/event-stream.ts';
import type { HttpResponse } from '../harness/http-client.ts';
import {
  examplesOf,
  JSON_TYPE,
  LINES_TYPE,
  type MediaDoc,
  type OpenApiDocument,
  type Operation,
  operationsOf,
  type ResponseDoc,
  STREAM_TYPE,
  toPointer,
} from './document.ts';

/** The fields of an error body (docs/contract.md "Errors"). */
const INTERNAL_ERROR = 'An unexpected error occurred';

/** Headers that tell a client what to do: the document must declare them. */
const HINT_HEADERS = ['etag', 'idempotency-replayed', 'last-modified', 'location', 'retry-after', 'www-authenticate'];

/** Checks responses and examples against the document; each method returns descriptions of the differences. */
export interface Checker {
  /** Checks a response of an operation for an expected outcome. */
  response(operation: Operation, outcome: string, actual: HttpResponse): string[];
  /** Checks all examples of the document against the schemas beside them. */
  examples(): string[];
}

export function createChecker(document: OpenApiDocument): Checker {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, 'openapi');

  /** Describes how `value` violates the schema at `pointer`. */
  function misfits(pointer: string, value: unknown): string[] {
    const validate = ajv.getSchema(`openapi#${encodeURI(pointer)}`);
    if (!validate) return [`there is no schema at ${pointer}`];
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || 'the body'} ${message}`);
  }

  function body(pointer: string, content: Record<string, MediaDoc>, wanted: string, actual: HttpResponse): string[] {
    const type = String(actual.headers['content-type']).split(';')[0] ?? '';
    const media = content[type];
    if (!media) return [`the content type ${type} is not documented`];
    if (type !== wanted) return [`the content type is ${type}`];
    if (!media.schema) return ['the body has no schema'];
    if (type === STREAM_TYPE) return stream(pointer, actual.text);
    if (type === LINES_TYPE) return lines(pointer, actual.text);
    const isJson = type === JSON_TYPE;
    if (isJson && actual.json === undefined) return ['the body is not JSON'];
    return misfits(pointer + toPointer('content', type, 'schema'), isJson ? actual.json : actual.text);
  }

  /** Each event of a stream has the schema of an item of the JSON list. */
  function stream(pointer: string, text: string): string[] {
    const events = parseEvents(text);
    if (events.length === 0) return ['the stream has no event'];
    const item = pointer + toPointer('content', JSON_TYPE, 'schema', 'items');
    return events.flatMap(({ id, event, data }) => [
      ...misfits(item, data),
      ...(id === String(data.id) && event === (data.type ?? 'log')
        ? []
        : [`id ${id} and event ${event} are not those of the data`]),
    ]);
  }

  /** Each line has the schema of an item of the JSON list. */
  function lines(pointer: string, text: string): string[] {
    if (!text.endsWith('\n')) return ['the last line is not ended'];
    const item = pointer + toPointer('content', JSON_TYPE, 'schema', 'items');
    return text
      .trimEnd()
      .split('\n')
      .flatMap((line) => misfits(item, JSON.parse(line)));
  }

  return {
    response({ doc, pointer }, outcome, actual) {
      const [status = '', what] = outcome.split(' ');
      const type = what?.includes('/') ? what : undefined;
      const code = type ? undefined : what;
      if (String(actual.status) !== status) return [`responded ${actual.status} ${actual.text.slice(0, 200)}`];
      const response = doc.responses[status] ?? {};
      const problems = headerProblems(response, actual);
      if (!response.content) return actual.bytes.length > 0 ? [...problems, 'a body is not documented'] : problems;
      const at = pointer + toPointer('responses', status);
      const wanted = type ?? (response.content[JSON_TYPE] ? JSON_TYPE : Object.keys(response.content)[0]) ?? '';
      const misfit = body(at, response.content, wanted, actual);
      return [...problems, ...misfit, ...errorProblems(response.content, actual, code)];
    },

    examples() {
      return mediaOf(document).flatMap(({ pointer, media }) =>
        examplesOf(media).flatMap(([name, value]) =>
          misfits(`${pointer}/schema`, value).map((misfit) => `${pointer} ${name}: ${misfit}`),
        ),
      );
    },
  };
}

function headerProblems({ headers = {} }: ResponseDoc, actual: HttpResponse): string[] {
  const problems = actual.headers['x-request-id'] === undefined ? ['there is no X-Request-Id'] : [];
  for (const [name, { required, schema }] of Object.entries(headers)) {
    const value = actual.headers[name.toLowerCase()];
    if (value === undefined && required) problems.push(`the header ${name} is missing`);
    if (value !== undefined && schema?.type === 'integer' && !/^-?\d+$/.test(String(value))) {
      problems.push(`the header ${name} is not an integer: ${value}`);
    }
  }
  const documented = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const undocumented = HINT_HEADERS.filter((name) => actual.headers[name] !== undefined && !documented.has(name));
  return [...problems, ...undocumented.map((name) => `the header ${name} is not documented`)];
}

/**
 * One of the examples must have the error code (`error`, or the text of `detail`), which must be `code` if it is given;
 * a 500 must not reveal its cause.
 */
function errorProblems(content: Record<string, MediaDoc>, { status, json }: HttpResponse, code?: string): string[] {
  if (status < 400) return [];
  const nameOf = (error: unknown): unknown => {
    const { error: code, detail } = Object(error) as { error?: unknown; detail?: unknown };
    return code ?? detail;
  };
  const documented = Object.values(content).flatMap((media) => examplesOf(media).map(([, value]) => nameOf(value)));
  const problems = documented.includes(nameOf(json)) ? [] : [`"${nameOf(json)}" is not among the examples`];
  if (code !== undefined && nameOf(json) !== code) problems.push(`the error is "${nameOf(json)}"`);
  const { message } = Object(json) as { message?: unknown };
  if (status === 500 && message !== INTERNAL_ERROR) problems.push(`the message is "${message}"`);
  return problems;
}

/** Yields everything in the document that has a schema with examples beside it, with its position. */
function mediaOf(document: OpenApiDocument): { pointer: string; media: MediaDoc }[] {
  return operationsOf(document).flatMap(({ doc, pointer }) => {
    const entries = (at: string, content: Record<string, MediaDoc> = {}) =>
      Object.entries(content).map(([type, media]) => ({ pointer: at + toPointer('content', type), media }));
    const parameters = (doc.parameters ?? []).map((media, at) => ({ pointer: `${pointer}/parameters/${at}`, media }));
    const responses = Object.entries(doc.responses).flatMap(([status, { content }]) =>
      entries(pointer + toPointer('responses', status), content),
    );
    return [...parameters, ...entries(`${pointer}/requestBody`, doc.requestBody?.content), ...responses];
  });
}
