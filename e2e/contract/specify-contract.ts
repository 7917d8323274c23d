import { UPSTREAMS } from '@agent-fleet/scripts/services';
import { INTERNAL_TOKEN_HEADER } from '@agent-fleet/shared/http/internal-access';
import { beforeAll, expect, test } from '@jest/globals';
import type { Api } from '../harness/api.ts';
import type { HttpResponse } from '../harness/http-client.ts';
import { INTERNAL_TOKEN } from '../harness/local-fleet.ts';
import { CONTROLS_PROCESSES } from '../harness/system.ts';
import { createChecker } from './checker.ts';
import type { Request, World } from './contract-case.ts';
import { CONTRACT_CASES } from './contract-cases.ts';
import { type OpenApiDocument, type Operation, operationsOf, outcomesOf } from './document.ts';
import { type Fault, underFault } from './faults.ts';
import { createWorld } from './world.ts';

/** Fewer than a gateway starts in one turn of its event loop: it refuses none of them, however slow the machine is. */
const MAX_AT_ONCE = 50;

interface Contract {
  operations: Operation[];
  checkResponse: ReturnType<typeof createChecker>['response'];
  world: World;
}

/** Every documented outcome of every operation, on the fleet that `api` has opened. */
export function specifyContract(api: Api, faults: readonly Fault[]): void {
  let contract: Contract;
  beforeAll(async () => {
    contract = await prepareContract(api);
  }, 180_000);

  test('every documented outcome of every operation has a contract case, and there are no other cases', () => {
    const documented = contract.operations.flatMap(({ name, doc }) =>
      outcomesOf(doc).map((outcome) => `${name} ${outcome}`),
    );
    const covered = Object.entries(CONTRACT_CASES).flatMap(([name, one]) =>
      Object.keys(one).map((outcome) => `${name} ${outcome}`),
    );
    expect(covered.sort()).toEqual(documented.sort());
  });

  const local = CONTROLS_PROCESSES ? test : test.skip;
  local('the gateway routes every operation that a service documents', async () => {
    const names = contract.operations.map(({ name }) => name);
    for (const upstream of UPSTREAMS) {
      const headers = { [INTERNAL_TOKEN_HEADER]: INTERNAL_TOKEN };
      const response = await fetch(`${api.place.upstreams[upstream]}/openapi.json`, { headers });
      const own = operationsOf((await response.json()) as OpenApiDocument).map(({ name }) => name);
      expect(own.length).toBeGreaterThan(0);
      expect(own.filter((name) => !names.includes(name))).toEqual([]);
    }
  });

  test('a request body may be omitted exactly where the document says so', async () => {
    const { operations, world } = contract;
    const withBody = operations.filter(({ doc }) => doc.requestBody);
    const problems = await Promise.all(withBody.map((operation) => withoutBody(operation, world)));
    expect(problems.flat()).toEqual([]);
  });

  test.each(faults)('responses match the document under the fault: %s', async (fault) => {
    expect(await problemsUnder(fault, contract)).toEqual([]);
  });
}

async function prepareContract(api: Api): Promise<Contract> {
  const document = (await api.get('/openapi.json')).json as OpenApiDocument;
  return {
    operations: operationsOf(document),
    checkResponse: createChecker(document).response,
    world: await createWorld(api),
  };
}

/**
 * Prepares all requests that need this fault, sends them under the fault (together, as it does not last), and checks
 * each response against the document.
 */
async function problemsUnder(fault: Fault, { operations, checkResponse, world }: Contract): Promise<string[]> {
  const prepare = async (one: ContractCase) => ({ ...one, request: await one.prepare(world) });
  const cases = await mapBounded(casesUnder(fault, operations), MAX_AT_ONCE, prepare);
  expect(cases.length).toBeGreaterThan(0);
  const problems: string[] = [];
  const send = (some: typeof cases) =>
    mapBounded(some, fault === 'nothing' ? MAX_AT_ONCE : some.length, async ({ operation, outcome, request }) => {
      const responses = await sendAll(world.api, request);
      const response =
        responses.find(({ status }) => outcome.startsWith(`${status}`)) ?? (responses[0] as HttpResponse);
      const found = checkResponse(operation, outcome, response);
      problems.push(...found.map((problem) => `${operation.name} ${outcome}: ${problem}`));
    });
  const runCases = async () => {
    await send(cases.filter(({ request }) => !request.latePath));
    // Their records do not last: no other request delays these.
    await send(cases.filter(({ request }) => request.latePath));
  };
  await (fault === 'nothing' ? runCases() : underFault(fault, world.api.fleet, runCases));
  return problems;
}

function casesUnder(fault: Fault, operations: readonly Operation[]) {
  return operations.flatMap((operation) =>
    Object.entries(CONTRACT_CASES[operation.name] ?? {})
      .filter(([, { under }]) => under === fault)
      .map(([outcome, { prepare }]) => ({ operation, outcome, prepare })),
  );
}

type ContractCase = ReturnType<typeof casesUnder>[number];

/** As `Promise.all` of `items.map(work)`, with at most `max` at once. */
async function mapBounded<T, R>(items: readonly T[], max: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = items.entries();
  const workThrough = async () => {
    for (const [at, item] of left) results[at] = await work(item);
  };
  await Promise.all(Array.from({ length: max }, workThrough));
  return results;
}

async function sendAll(api: Api, { method, path, latePath, times = 1, ...options }: Request) {
  const target = (await latePath?.()) ?? path;
  return Promise.all(Array.from({ length: times }, () => api.call(method, target, options)));
}

/** Describes what is wrong with the response to a good request whose body was removed. */
async function withoutBody({ name, doc }: Operation, world: World): Promise<string[]> {
  const [success = '', good] = Object.entries(CONTRACT_CASES[name] ?? {}).find(([outcome]) => /^2/.test(outcome)) ?? [];
  if (!good) return [`${name}: no case has a success`];
  const { method, path, latePath, headers, as } = await good.prepare(world);
  const { status, text } = await world.api.call(method, (await latePath?.()) ?? path, { as, headers });
  const wanted = doc.requestBody?.required ? 400 : Number(success);
  return status === wanted ? [] : [`${name}: ${status} ${text.slice(0, 200)}, not ${wanted}`];
}
