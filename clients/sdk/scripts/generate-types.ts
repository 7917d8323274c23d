import { text } from 'node:stream/consumers';
import openapiTs, { astToString } from 'openapi-typescript';

/** Reads the OpenAPI document of a fleet from stdin, and writes its types to stdout. */

interface Operation {
  parameters?: { in: string; name: string }[];
  requestBody?: { content: object };
  responses: Record<string, { headers?: object }>;
}
type Paths = Record<string, Record<string, Operation>>;

const HEAD = '// Generated from the OpenAPI document by `npm run generate -w clients/sdk`. Do not edit.\n';
const document = JSON.parse(await text(process.stdin)) as { paths: Paths };
// They fill half of the file; the SDK reads them from the response.
for (const { responses } of operationsOf(document.paths)) {
  for (const response of Object.values(responses)) delete response.headers;
}

process.stdout.write(HEAD);
process.stdout.write(astToString(await openapiTs(JSON.stringify(document))));
process.stdout.write(`
/** POST operations that take an \`Idempotency-Key\`. */
export const POSTS_WITH_KEY: readonly string[] = ${toCode(postsWith(takesKey))};

/** POST operations whose body is a form. */
export const FORM_POSTS: readonly string[] = ${toCode(postsWith(takesForm))};
`);

function operationsOf(paths: Paths): Operation[] {
  return Object.values(paths).flatMap((item) => Object.values(item));
}

function postsWith(holds: (operation: Operation) => boolean): string[] {
  return Object.entries(document.paths).flatMap(([path, { post }]) => (post && holds(post) ? [path] : []));
}

function takesKey({ parameters = [] }: Operation): boolean {
  return parameters.some(({ in: place, name }) => place === 'header' && name.toLowerCase() === 'idempotency-key');
}

function takesForm({ requestBody }: Operation): boolean {
  return Object.hasOwn(requestBody?.content ?? {}, 'application/x-www-form-urlencoded');
}

function toCode(value: unknown): string {
  return JSON.stringify(value, null, 4);
}
