import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, UPSTREAMS } from '@agent-fleet/scripts/services';
import { INTERNAL_TOKEN_HEADER } from '@agent-fleet/shared/http/internal-access';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import jwt, { type JwtPayload } from 'jsonwebtoken';
import { type Checker, createChecker } from './contract/checker.ts';
import type { Request, World } from './contract/contract-case.ts';
import { CONTRACT_CASES } from './contract/contract-cases.ts';
import {
  examplesOf,
  fieldsOf,
  type OpenApiDocument,
  type Operation,
  operationsOf,
  outcomesOf,
  STREAM_TYPE,
} from './contract/document.ts';
import { FAULTS, FAULTY_FLEET, type Fault, underFault } from './contract/faults.ts';
import { Api } from './harness/api.ts';
import type { HttpResponse } from './harness/http-client.ts';
import { INTERNAL_TOKEN, JWT_SECRET } from './harness/local-fleet.ts';
import { CONTROLS_PROCESSES, logOmittedTests } from './harness/system.ts';

const api = new Api();
let document: OpenApiDocument;
let operations: Operation[];
let checker: Checker;
let world: World;

beforeAll(async () => {
  await api.open(FAULTY_FLEET);
  document = (await api.get('/openapi.json')).json as OpenApiDocument;
  operations = operationsOf(document);
  checker = createChecker(document);
  const agent = await api.createAgent();
  const [skill] = (await api.get('/api/skills?limit=1')).json as { id: string }[];
  world = { api, agent, task: await api.createTask(agent.id), skill: String(skill?.id), freshToken };
}, 180_000);
afterAll(() => api.close(), 180_000);

test('every documented outcome of every operation has a contract case, and there are no other cases', () => {
  const documented = operations.flatMap(({ name, doc }) => outcomesOf(doc).map((outcome) => `${name} ${outcome}`));
  const covered = Object.entries(CONTRACT_CASES).flatMap(([name, one]) =>
    Object.keys(one).map((outcome) => `${name} ${outcome}`),
  );
  expect(covered.sort()).toEqual(documented.sort());
});

test('the gateway routes every operation that a service documents', async () => {
  if (!CONTROLS_PROCESSES) return;
  const names = operations.map(({ name }) => name);
  for (const upstream of UPSTREAMS) {
    const headers = { [INTERNAL_TOKEN_HEADER]: INTERNAL_TOKEN };
    const response = await fetch(`${api.fleet.services[upstream].url}/openapi.json`, { headers });
    const own = operationsOf((await response.json()) as OpenApiDocument).map(({ name }) => name);
    expect(own.length).toBeGreaterThan(0);
    expect(own.filter((name) => !names.includes(name))).toEqual([]);
  }
});

test('the gateway has the deadline for every operation that clients may wait for', () => {
  const routes = readFileSync(join(ROOT, 'gateway/src/routing/routes.ts'), 'utf8');
  const mayWait = operations.filter(
    ({ doc }) =>
      doc.parameters?.some(({ name }) => name === 'wait') ||
      fieldsOf(document, doc).includes('wait_seconds') ||
      Object.values(doc.responses).some(({ content = {} }) => STREAM_TYPE in content),
  );
  const entries = mayWait.map(({ name }) => name.replace(/^(\S+) (.+)$/, "'$2': ['$1'"));
  expect(entries.length).toBeGreaterThan(0);
  expect(entries.filter((entry) => !routes.includes(entry))).toEqual([]);
});

test("the worker's task has every field of a served task", () => {
  const source = readFileSync(join(ROOT, 'clients/worker/src/task.ts'), 'utf8');
  const fields = Object.keys(document.components.schemas.Task?.properties ?? {});
  expect(fields.length).toBeGreaterThan(20);
  expect(fields.filter((field) => !source.includes(`\n  ${field}: `))).toEqual([]);
});

test('docs/contract.md names every field of every request body', () => {
  const contract = readFileSync(join(ROOT, 'docs/contract.md'), 'utf8');
  const words = new Set((contract.match(/`[^`]+`/g) ?? []).flatMap((code) => code.match(/\w+/g) ?? []));
  const fields = operations.flatMap(({ name, doc }) => fieldsOf(document, doc).map((field) => ({ name, field })));
  expect(fields.filter(({ field }) => !words.has(field))).toEqual([]);
});

test('the examples in the document match their schemas', () => {
  expect(checker.examples()).toEqual([]);
});

test('every JSON and form body in the document has an example', () => {
  const missing = operations.flatMap(({ name, doc }) =>
    [doc.requestBody, ...Object.values(doc.responses)]
      .flatMap((part) => Object.entries(part?.content ?? {}))
      .filter(([type, media]) => !type.startsWith('text/') && examplesOf(media).length === 0)
      .map(([type]) => `${name} ${type}`),
  );
  expect(missing).toEqual([]);
});

test('a request body may be omitted exactly where the document says so', async () => {
  const problems = await Promise.all(operations.filter(({ doc }) => doc.requestBody).map(withoutBody));
  expect(problems.flat()).toEqual([]);
});

if (!CONTROLS_PROCESSES) logOmittedTests('the statuses that only a fault of the system brings about');
const faults: readonly Fault[] = CONTROLS_PROCESSES ? FAULTS : ['nothing'];
test.each(faults)('responses match the document under the fault: %s', async (fault) => {
  expect(await problemsUnder(fault)).toEqual([]);
});

/**
 * Prepares all requests that need this fault, sends them together under the fault, and checks each response against the
 * document.
 */
async function problemsUnder(fault: Fault): Promise<string[]> {
  const cases = await Promise.all(
    casesUnder(fault).map(async (one) => ({ ...one, request: await one.prepare(world) })),
  );
  expect(cases.length).toBeGreaterThan(0);
  const problems: string[] = [];
  const runCases = async () => {
    await Promise.all(
      cases.map(async ({ operation, outcome, request }) => {
        const responses = await sendAll(request);
        const response =
          responses.find(({ status }) => outcome.startsWith(`${status}`)) ?? (responses[0] as HttpResponse);
        const found = checker.response(operation, outcome, response);
        problems.push(...found.map((problem) => `${operation.name} ${outcome}: ${problem}`));
      }),
    );
  };
  await (CONTROLS_PROCESSES ? underFault(fault, api.fleet, runCases) : runCases());
  return problems;
}

function casesUnder(fault: Fault) {
  return operations.flatMap((operation) =>
    Object.entries(CONTRACT_CASES[operation.name] ?? {})
      .filter(([, { under }]) => under === fault)
      .map(([outcome, { prepare }]) => ({ operation, outcome, prepare })),
  );
}

function sendAll({ method, path, times = 1, ...options }: Request) {
  return Promise.all(Array.from({ length: times }, () => api.call(method, path, options)));
}

/** Describes what is wrong with the response to a good request whose body was removed. */
async function withoutBody({ name, doc }: Operation): Promise<string[]> {
  const [success = '', good] = Object.entries(CONTRACT_CASES[name] ?? {}).find(([outcome]) => /^2/.test(outcome)) ?? [];
  if (!good) return [`${name}: no case has a success`];
  const { method, path, headers, as } = await good.prepare(world);
  const { status, text } = await api.call(method, path, { as, headers });
  const wanted = doc.requestBody?.required ? 400 : Number(success);
  return status === wanted ? [] : [`${name}: ${status} ${text.slice(0, 200)}, not ${wanted}`];
}

/** The gateway caches the user of a verified token for a while; this test needs a new look-up. */
async function freshToken(): Promise<string> {
  const token = await api.token();
  if (!CONTROLS_PROCESSES) return token;
  return jwt.sign({ ...(jwt.decode(token) as JwtPayload), jti: crypto.randomUUID() }, JWT_SECRET);
}
