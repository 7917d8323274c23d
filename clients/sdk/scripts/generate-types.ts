import { text } from 'node:stream/consumers';
import openapiTs, { astToString } from 'openapi-typescript';

/** Reads the OpenAPI document of a fleet from stdin, and writes its types to stdout. */

interface Body {
  headers?: object;
  content?: Record<string, { example?: unknown; examples?: unknown }>;
}
interface Operation {
  parameters?: { in: string; name: string }[];
  requestBody?: Body;
  responses: Record<string, Body>;
}
type Paths = Record<string, Record<string, Operation>>;
interface Components {
  securitySchemes: {
    bearer: { flows: { password: { scopes: Record<string, string> } }; 'x-roles': Record<string, string[]> };
  };
  schemas: Record<string, { properties?: Record<string, { enum?: string[] }> }>;
}

const HEAD = '// Generated from the OpenAPI document by `npm run generate -w clients/sdk`. Do not edit.\n';
const document = JSON.parse(await text(process.stdin)) as { paths: Paths; components: Components };
// They would fill two thirds of the file.
for (const { requestBody, responses } of operationsOf(document.paths)) {
  for (const response of Object.values(responses)) delete response.headers;
  for (const { content = {} } of [requestBody, ...Object.values(responses)].filter((part) => part !== undefined)) {
    for (const media of Object.values(content)) {
      delete media.example;
      delete media.examples;
    }
  }
}

const types = JSON.stringify(document.components.schemas.AgentInput?.properties?.type?.enum);
// The types of agents are configured: those of a fleet may be others than the default ones.
const source = JSON.stringify(document).replaceAll(`,"enum":${types}`, '');

const { bearer } = document.components.securitySchemes;
const { offline_access: _, ...scopes } = bearer.flows.password.scopes;

process.stdout.write(HEAD);
process.stdout.write(astToString(await openapiTs(source, { defaultNonNullable: false })));
process.stdout.write(`
/** POST operations that take an \`Idempotency-Key\`. */
export const POSTS_WITH_KEY: readonly string[] = ${toCode(postsWith(takesKey))};

/** POST operations whose body is a form. */
export const FORM_POSTS: readonly string[] = ${toCode(postsWith(takesForm))};

/** What each scope allows. */
export const SCOPES = ${toCode(scopes)} as const;

/** The scopes of each role, the lowest role first. */
export const ROLES = ${toCode(bearer['x-roles'])} as const;
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
