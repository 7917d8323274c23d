import { UPSTREAMS } from '@agent-fleet/scripts/services';
import { ROLE_NAMES, ROLES, type Role, SCOPE_NAMES } from '@agent-fleet/shared/contract/scopes';
import { INTERNAL_TOKEN_HEADER, PRINCIPAL_HEADER, SCOPES_HEADER } from '@agent-fleet/shared/http/internal-access';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type OpenApiDocument, type Operation, operationsOf } from '../../contract/document.ts';
import { apiKey, bearer } from '../../harness/accounts.ts';
import type { Api } from '../../harness/api.ts';
import { type Credential, HttpClient, type HttpResponse } from '../../harness/http-client.ts';
import { INTERNAL_TOKEN } from '../../harness/local-fleet.ts';
import { CONTROLS_PROCESSES } from '../../harness/system.ts';

type Kind = 'bearer' | 'apiKeyHeader' | 'sessionCookie';

/** A way to authenticate with some scopes. */
interface Caller {
  name: string;
  kind: Kind;
  credential: Credential;
  scopes: readonly string[];
}

/** Operations for users, and on keys of one's own: other callers get a 403 of their own reasons. */
const FOR_USERS = /^\S+ \/(users\/me|sessions|api-keys)(\/|$)/;
/** Tested last: it ends the session of its caller. */
const SIGN_OUT = 'DELETE /session';
/** Answers that do not refuse the caller. */
const WITHOUT_CREDENTIALS = new Set([200, 204, 400, 404, 406, 410, 415]);

/** Every operation of the document with every role, and with and without each scope. */
export function specifyRoles(api: Api): void {
  let operations: Operation[];
  let callers: Caller[];
  beforeAll(async () => {
    operations = operationsOf((await api.get('/openapi.json')).json as OpenApiDocument).toSorted(
      (one, other) => Number(one.name === SIGN_OUT) - Number(other.name === SIGN_OUT),
    );
    callers = await createCallers(api);
  }, 120_000);

  test('every operation needs no credentials, or says which scope it needs', () => {
    expect(operations.length).toBeGreaterThan(50);
    const undeclared = operations.filter(({ doc }) => {
      const scope = doc['x-required-scope'];
      if (doc.security?.length === 0) return scope !== undefined;
      return scope !== null && !SCOPE_NAMES.some((name) => name === scope);
    });
    expect(undeclared.map(({ name }) => name)).toEqual([]);
  });

  test('the security of an operation has its scope for OAuth 2, and every scheme', () => {
    const different = operations.filter(({ doc, name }) => {
      const scope = doc['x-required-scope'];
      if (scope === undefined) return false;
      const bearer = { bearer: scope === null ? [] : [scope] };
      const expected = name === 'GET /protected' ? [bearer] : [bearer, { apiKeyHeader: [] }, { sessionCookie: [] }];
      return JSON.stringify(doc.security) !== JSON.stringify(expected);
    });
    expect(different.map(({ name }) => name)).toEqual([]);
  });

  test('every scope of the roles is needed by an operation, or is reserved', () => {
    const needed = new Set(operations.map(({ doc }) => doc['x-required-scope']));
    expect(SCOPE_NAMES.filter((scope) => !needed.has(scope))).toEqual(['registry:admin']);
  });

  test('a caller is refused exactly where its scopes do not suffice', async () => {
    expect(callers.length).toBe(3 * ROLE_NAMES.length + 4 * SCOPE_NAMES.length);
    const problems = await Promise.all(callers.map((caller) => problemsOf(api, caller, operations)));
    expect(problems.flat()).toEqual([]);
    const needing = operations.filter(({ doc }) => doc['x-required-scope']);
    expect(needing.length).toBeGreaterThan(25);
  }, 120_000);

  test('operations without security answer without credentials, and do not look at those that there are', async () => {
    const problems: string[] = [];
    for (const { name, doc } of operations) {
      if (doc.security?.length !== 0) continue;
      for (const as of ['nobody', apiKey('wrong'), bearer('wrong')] as const) {
        const { status, text } = await api.call(...toRequest(name), { as });
        if (!WITHOUT_CREDENTIALS.has(status)) problems.push(`${name}: ${status} ${text}`);
      }
    }
    expect(problems).toEqual([]);
  });

  test('all other operations are 401 without credentials', async () => {
    const problems: string[] = [];
    for (const { name, doc } of operations) {
      if (doc.security?.length === 0) continue;
      const { status } = await api.call(...toRequest(name), { as: 'nobody' });
      if (status !== 401) problems.push(`${name}: ${status}`);
    }
    expect(problems).toEqual([]);
  });

  if (CONTROLS_PROCESSES) describe('A service that is reached without the gateway', () => specifyDirectAccess(api));
}

/** A caller of each kind for each role, and for each scope alone and all others. */
async function createCallers({ accounts }: Api): Promise<Caller[]> {
  const ofRole = async (role: Role): Promise<Caller[]> => {
    const account = await accounts.create(role);
    const scopes = ROLES[role];
    const { key } = await accounts.createKey({ role });
    return [
      { name: `${role} by token`, kind: 'bearer', credential: await accounts.signInAs(account), scopes },
      { name: `${role} by cookie`, kind: 'sessionCookie', credential: await accounts.openSession(account), scopes },
      { name: `${role} by key`, kind: 'apiKeyHeader', credential: apiKey(key), scopes },
    ];
  };
  const admin = await accounts.create('admin');
  const narrowed = async (name: string, scopes: readonly string[]): Promise<Caller[]> => [
    { name: `token ${name}`, kind: 'bearer', credential: await accounts.signInAs(admin, scopes.join(' ')), scopes },
    {
      name: `key ${name}`,
      kind: 'apiKeyHeader',
      credential: apiKey((await accounts.createKey({ scopes })).key),
      scopes,
    },
  ];
  const sets = SCOPE_NAMES.flatMap((scope) => [
    narrowed(`with ${scope}`, [scope]),
    narrowed(
      `without ${scope}`,
      SCOPE_NAMES.filter((other) => other !== scope),
    ),
  ]);
  return (await Promise.all([...ROLE_NAMES.map(ofRole), ...sets])).flat();
}

/** Sends every operation, and HEAD where there is GET, and describes wrong answers. */
async function problemsOf(api: Api, caller: Caller, operations: readonly Operation[]): Promise<string[]> {
  const problems: string[] = [];
  for (const operation of operations) {
    const { name, doc } = operation;
    const scope = doc['x-required-scope'];
    if (scope === undefined) continue;
    const [method, path] = toRequest(name);
    const accepted = doc.security?.some((one) => Object.hasOwn(one, caller.kind));
    for (const sent of method === 'GET' ? ['GET', 'HEAD'] : [method]) {
      const response = await api.call(sent, path, { as: caller.credential });
      const problem = accepted ? scopeProblem(response, caller, operation) : statusProblem(response, 401);
      if (problem) problems.push(`${caller.name}, ${sent} ${path}: ${problem}`);
    }
  }
  return problems;
}

function scopeProblem(response: HttpResponse, { kind, scopes }: Caller, { name, doc }: Operation): string | undefined {
  const { status, text, json } = response;
  const required = doc['x-required-scope'];
  const { error, details } = Object(json) as { error?: string; details?: { required?: string } };
  if (status === 401 || status >= 500) return `${status} ${text}`;
  if (typeof required === 'string' && !scopes.includes(required)) {
    if (status !== 403) return `${status} ${text}`;
    const isNamed = text === '' || (error === 'forbidden' && details?.required === required);
    return isNamed ? undefined : text;
  }
  if (status !== 403) return undefined;
  return kind === 'apiKeyHeader' && required === null && FOR_USERS.test(name) ? undefined : text || 'HEAD is 403';
}

function statusProblem({ status, text }: HttpResponse, expected: number): string | undefined {
  return status === expected ? undefined : `${status} ${text}`;
}

/** With an id that no record has, and without a body: whoever may call it changes nothing. */
function toRequest(name: string): [method: string, path: string] {
  const [method = '', path = ''] = name.split(' ');
  return [method, path.replace(/\{\w+\}/g, 'missing')];
}

function specifyDirectAccess(api: Api): void {
  const token = { [INTERNAL_TOKEN_HEADER]: INTERNAL_TOKEN };

  /** Sends every operation of every service with these headers, and returns the wrong answers. */
  async function problemsWith(
    toHeaders: (scope: string | null) => Credential,
    isRight: (response: HttpResponse, scope: string | null) => boolean,
  ): Promise<string[]> {
    const problems: string[] = [];
    for (const upstream of UPSTREAMS) {
      const http = new HttpClient(api.place.upstreams[upstream], { apiKey: '' });
      const { json } = await http.call('GET', '/openapi.json', { as: token });
      for (const { name, doc } of operationsOf(json as OpenApiDocument)) {
        const scope = doc['x-required-scope'];
        if (scope === undefined) continue;
        const response = await http.call(...toRequest(name), { as: toHeaders(scope) });
        if (!isRight(response, scope)) problems.push(`${upstream} ${name}: ${response.status} ${response.text}`);
      }
      http.close();
    }
    return problems;
  }

  const isForbidden = ({ status, json }: HttpResponse) =>
    status === 403 && (json as { error?: string }).error === 'forbidden';
  const isMissing = (response: HttpResponse, required: string | null) =>
    isForbidden(response) &&
    (required === null || (response.json as { details?: { required?: string } }).details?.required === required);
  const principal = { [PRINCIPAL_HEADER]: 'user:viewer@e2e.example' };

  test('refuses every operation without the internal token, whatever else there is', async () => {
    const forged = { ...principal, [SCOPES_HEADER]: SCOPE_NAMES.join(' ') };
    expect(await problemsWith(() => forged, isForbidden)).toEqual([]);
    expect(await problemsWith(() => ({ ...forged, [INTERNAL_TOKEN_HEADER]: 'wrong' }), isForbidden)).toEqual([]);
  });

  test('refuses every operation with the internal token and no principal or scopes', async () => {
    expect(await problemsWith(() => token, isForbidden)).toEqual([]);
    const all = { ...token, [SCOPES_HEADER]: SCOPE_NAMES.join(' ') };
    expect(await problemsWith(() => all, isForbidden)).toEqual([]);
  });

  test('refuses an operation without its scope, and names it', async () => {
    const withoutAny = { ...token, ...principal };
    const isRight = (response: HttpResponse, scope: string | null) => scope === null || isMissing(response, scope);
    for (const scopes of ['', 'none', SCOPE_NAMES.join(','), ` ${SCOPE_NAMES.join('  ')}x`.toUpperCase()]) {
      expect(await problemsWith(() => ({ ...withoutAny, [SCOPES_HEADER]: scopes }), isRight)).toEqual([]);
    }
    const others = (scope: string | null) => SCOPE_NAMES.filter((name) => name !== scope).join(' ');
    const toHeaders = (scope: string | null) => ({ ...withoutAny, [SCOPES_HEADER]: others(scope) });
    expect(await problemsWith(toHeaders, isRight)).toEqual([]);
  });

  test('accepts an operation with its scope', async () => {
    const toHeaders = (scope: string | null) => ({ ...token, ...principal, [SCOPES_HEADER]: scope ?? '' });
    const isRight = (response: HttpResponse) => response.status !== 403 && response.status < 500;
    expect(await problemsWith(toHeaders, isRight)).toEqual([]);
  });
}
