import { describe, expect, test } from '@jest/globals';
import { type Api, type Lease, pathOf, type Task } from '../../harness/api.ts';
import { expectStatus, type HttpResponse } from '../../harness/http-client.ts';
import {
  expectDetail,
  expectError,
  expectInvalid,
  expectNoBody,
  expectResponse,
  listAll,
  TIMESTAMP,
} from '../expectations.ts';

const EMPTY = {
  ...{ description: null, instructions: null, runtime: null, model: null, effort: null, skills: [], mcp_servers: [] },
  ...{ permissions: null, workspace: null, output_schema: null, requires: [], limits: null, retry_policy: null },
  ...{ max_concurrency: null, budget: null, tags: [], note: null },
};
const FULL = {
  description: 'Reviews',
  instructions: '# Review\n\nBe kind. \u2028"\u0000',
  runtime: 'codex',
  model: 'gpt-9',
  effort: 'high',
  skills: ['acme~review', { id: 'acme~style', digest: `sha256:${'a'.repeat(64)}` }],
  mcp_servers: [
    {
      name: 'issues',
      url: 'https://mcp.example.com/a?b=c',
      headers: { Authorization: { secret: 'TOKEN', prefix: 'Bearer ' }, 'X-Team': 'blue' },
    },
    { name: 'files', command: 'mcp-files', args: ['--root', '.'], env: { KEY: { secret: 'FILES_KEY' }, MODE: 'ro' } },
  ],
  permissions: { mode: 'edit', allow: ['Bash(git *)', 'Read'], ask: ['Bash(git push *)'], deny: ['WebFetch(*)'] },
  workspace: { repository: 'https://git.example.com/acme/shop.git', ref: 'main' },
  output_schema: { type: 'object', maximum: JSON.rawJSON('12345678901234567890') as unknown },
  requires: ['gpu', 'region:eu'],
  limits: { timeout_seconds: 60, max_attempts: 2, max_cost: { amount: 1.5, currency: 'USD' }, max_turns: 9 },
  retry_policy: { strategy: 'fixed', delay_seconds: 1, max_delay_seconds: 2, jitter: 0 },
  max_concurrency: 3,
  budget: { amount: 10, currency: 'USD', period: 'day', time_zone: 'Europe/Berlin' },
  tags: ['review'],
  note: 'First',
};
/** A large number is served as it was sent, though JSON.parse rounds it. */
const SERVED = { ...FULL, output_schema: { type: 'object', maximum: Number('12345678901234567890') } };
const WORKER = { accepts: ['definitions'], labels: ['runtime:codex', 'gpu', 'region:eu', 'host:a'] };

/** docs/contract.md "Definitions". */
export function specifyDefinitions(api: Api): void {
  const pathOfDefinition = (agentId: string) => `/agents/${agentId}/definition`;
  const put = (agentId: string, body: unknown, headers = {}) =>
    api.call('PUT', `${pathOfDefinition(agentId)}?allow_unknown_skills=true`, { body, headers });
  const retry = async (task: Task, body?: unknown) =>
    expectStatus<Task>(await api.call('POST', `${pathOf(task)}/retries`, { body }), 201);
  const versionOf = ({ json }: HttpResponse) => (json as { version: number }).version;

  test('a version has all fields, unset ones null or empty; the next one replaces them all', async () => {
    const { id } = await api.createAgent();
    expectDetail(await api.get(pathOfDefinition(id)), 404, 'Agent has no definition');
    expect(await api.get(`${pathOfDefinition(id)}?optional=true`)).toMatchObject({ status: 200, text: 'null' });
    const created = {
      created_at: expect.stringMatching(TIMESTAMP),
      created_by: { id: expect.any(String), name: expect.any(String) },
    };
    const first = await put(id, FULL);
    expectResponse(first, 201, { version: 1, ...SERVED, ...created });
    expect(first.text).toContain('12345678901234567890');
    const read = await api.get(pathOfDefinition(id));
    expect(read.text).toBe(first.text);
    expect(read.headers.etag).toBe(first.headers.etag);
    const headers = { 'if-none-match': read.headers.etag as string };
    expectNoBody(await api.call('GET', pathOfDefinition(id), { headers }), 304);
    expectResponse(await put(id, {}), 200, { version: 2, ...EMPTY, ...created });
    expect((await api.get(`${pathOfDefinition(id)}/versions/1`)).text).toBe(first.text);
    const events = (await api.get(`/agents/${id}/events?limit=1000`)).json as { type: string; data?: unknown }[];
    expect(events.filter(({ type }) => type === 'agent.definition_replaced').map(({ data }) => data)).toEqual([
      { version: 1 },
      { version: 2 },
    ]);
    expect((await api.get(`/agents/${id}`)).json).toEqual(expect.not.objectContaining({ version: 1 }));
  });

  test('the same content makes no version, another note does; a stale tag is 412', async () => {
    const { id } = await api.createAgent();
    expectError(await put(id, {}, { 'if-match': '"any"' }), 412, 'precondition_failed');
    const first = await put(id, FULL);
    const again = await put(id, FULL);
    expect([again.status, again.text, versionOf(await put(id, { ...FULL, note: 'Second' }))]).toEqual([
      200,
      first.text,
      2,
    ]);
    expectError(await put(id, {}, { 'if-match': first.headers.etag as string }), 412, 'precondition_failed');
    const stale = { headers: { 'if-match': first.headers.etag as string } };
    expectError(await api.call('DELETE', pathOfDefinition(id), stale), 412, 'precondition_failed');
    expectNoBody(await api.call('DELETE', pathOfDefinition(id)), 204);
    expectNoBody(await api.call('DELETE', pathOfDefinition(id)), 204);
    expectDetail(await api.get(pathOfDefinition(id)), 404, 'Agent has no definition');
    expect((await api.createTask(id)).agent_version).toBeNull();
    const next = await put(id, FULL);
    expect([next.status, versionOf(next)]).toEqual([201, 3]);
    const listed = await listAll(api, `${pathOfDefinition(id)}/versions?order=desc&limit=2`);
    expect(listed).toHaveLength(3);
    expect(listed[0]).toEqual(expect.not.objectContaining({ instructions: expect.anything() }));
    expect(listed.map((one) => (one as { version: number }).version)).toEqual([3, 2, 1]);
    for (const version of ['4', '0', '01', 'x', '1e0']) {
      expectDetail(await api.get(`${pathOfDefinition(id)}/versions/${version}`), 404, 'Version not found');
    }
  });

  const server = (fields: object) => ({ mcp_servers: [{ name: 'a', url: 'https://mcp.example.com', ...fields }] });
  const program = (fields: object) => ({ mcp_servers: [{ name: 'a', command: 'x', ...fields }] });
  test.each([
    [['instructions'], { instructions: 'é'.repeat(32 * 1024 + 1) }],
    [['description', 'note'], { description: 'x'.repeat(501), note: 'x'.repeat(201) }],
    [['runtime', 'effort', 'unknown'], { runtime: 'claude', effort: 'max', unknown: 1 }],
    [['requires.0', 'requires.1', 'requires.2'], { requires: ['GPU', '', `a${'b'.repeat(63)}`] }],
    [['requires'], { requires: Array.from({ length: 9 }, (_, at) => `l${at}`) }],
    [['mcp_servers.1.name'], { mcp_servers: [...server({}).mcp_servers, ...program({}).mcp_servers] }],
    [['mcp_servers'], { mcp_servers: Array.from({ length: 9 }, (_, at) => ({ name: `s${at}`, command: 'x' })) }],
    [['mcp_servers.0'], { mcp_servers: [{ name: 'a', url: 'https://mcp.example.com', command: 'x' }] }],
    [['permissions.mode', 'permissions.allow.0'], { permissions: { mode: 'any', allow: ['(x)'] } }],
    [['limits.max_turns', 'limits.timeout_seconds'], { limits: { max_turns: 0, timeout_seconds: 0 } }],
    [['max_concurrency'], { max_concurrency: 0 }],
    [
      ['budget.amount', 'budget.period', 'budget.time_zone'],
      { budget: { amount: -1, period: 'year', time_zone: 'Mars' } },
    ],
    [['output_schema'], { output_schema: { type: 5 } }],
  ])('an invalid definition is 400 and names %j', async (paths, body) => {
    const { id } = await api.createAgent();
    const response = await put(id, body);
    expectError(response, 400, 'validation_error');
    const { fields } = (response.json as { details: { fields: { path: string }[] } }).details;
    const found = fields.map(({ path }) => path);
    for (const path of paths) expect(found.some((one) => one === path || one.startsWith(`${path}.`))).toBe(true);
    expect((await api.get(`${pathOfDefinition(id)}/versions`)).json).toEqual([]);
  });

  test.each([
    ['instructions', `Use sk-ant-api03-${'a1'.repeat(20)}`, (value: string) => ({ instructions: value })],
    ['mcp_servers.0.headers.X', `ghp_${'a1'.repeat(18)}`, (value: string) => server({ headers: { X: value } })],
    ['mcp_servers.0.headers.X', `Bearer ${'a1'.repeat(10)}`, (value: string) => server({ headers: { X: value } })],
    ['mcp_servers.0.url', `https://mcp.example.com/?key=AIza${'a1'.repeat(18)}`, (url: string) => server({ url })],
    ['mcp_servers.0.env.K', `glpat-${'a1'.repeat(10)}`, (value: string) => program({ env: { K: value } })],
    ['mcp_servers.0.args.0', `--key=AKIA${'A1'.repeat(8)}`, (value: string) => program({ args: [value] })],
    ['mcp_servers.0.env.K', '-----BEGIN RSA PRIVATE KEY-----', (value: string) => program({ env: { K: value } })],
  ])('what looks like a key in %s is 400 without the value: %s', async (path, value, toBody) => {
    const { id } = await api.createAgent();
    const response = await put(id, toBody(value));
    expectError(response, 400, 'validation_error');
    expect(response.text).toContain(path);
    expect(response.text).not.toContain(value);
  });

  test('a skill that the registry does not have is 422, unless the request says otherwise', async () => {
    const { id } = await api.createAgent();
    const [known] = (await api.get('/api/skills?limit=1')).json as { id: string }[];
    const unknown = { skills: [known?.id, { id: 'acme~nothing', digest: `sha256:${'a'.repeat(64)}` }] };
    const task = await api.createTask(id);
    for (const [method, path, body] of [
      ['PUT', pathOfDefinition(id), unknown],
      ['POST', `/agents/${id}/tasks`, { message: 'x', ...unknown }],
      ['PUT', pathOf(task), { message: 'x', ...unknown }],
    ] as const) {
      const response = await api.call(method, path, { body });
      expectError(response, 422, 'semantic_error');
      const fields = [
        { path: 'skills.1', code: 'unknown_skill', message: 'is no skill of the registry: acme~nothing' },
      ];
      expect(response.json).toMatchObject({ details: { fields } });
      expect((await api.call(method, `${path}?allow_unknown_skills=true`, { body })).status).toBeLessThan(300);
    }
    const batch = {
      tasks: [
        { message: 'x', ...unknown },
        { message: 'y', skills: [known?.id] },
      ],
    };
    const { json } = await api.call('POST', `/agents/${id}/task-batches`, { body: batch });
    expect((json as { results: { status: number }[] }).results.map(({ status }) => status)).toEqual([422, 201]);
  });

  describe('a task', () => {
    test('names the version under which it was created, and its lease has the whole of it', async () => {
      const { id } = await api.createAgent();
      await put(id, FULL);
      const plain = await api.createTask(id, { tags: ['own', 'review'] });
      expect(plain).toMatchObject({
        ...{
          agent_version: 1,
          tags: ['review', 'own'],
          requires: null,
          model: null,
          skills: null,
          output_schema: null,
        },
        ...{ timeout_seconds: 60, max_attempts: 2, retry_policy: FULL.retry_policy, max_cost: FULL.limits.max_cost },
      });
      await put(id, {});
      const own = {
        ...{ model: 'other', skills: [], workspace: { repository: 'https://git.example.com/b.git', ref: null } },
        ...{ output_schema: { type: 'array' }, requires: ['gpu'] },
      };
      await api.createTask(id, { ...own, timeout_seconds: 90, max_attempts: 1 });
      const [first, second] = expectStatus<{ leases: { definition: unknown }[] }>(
        await api.requestLease(id, { ...WORKER, max_tasks: 2 }),
        201,
      ).leases;
      expect(first?.definition).toMatchObject({ ...SERVED, version: 1, tags: ['review', 'own'], note: 'First' });
      expect(second?.definition).toMatchObject({
        ...{ ...EMPTY, ...own, version: 2, note: null },
        limits: { timeout_seconds: 90, max_attempts: 1, max_cost: null, max_turns: null },
        retry_policy: { strategy: 'exponential', delay_seconds: 5, max_delay_seconds: 300, jitter: 0.5 },
      });
    });

    test('of an agent without a definition is as before, and its lease says null', async () => {
      const { id } = await api.createAgent();
      expect(await api.createTask(id)).toMatchObject({ agent_version: null, timeout_seconds: 3_600, max_attempts: 3 });
      expect(await api.lease(id)).toMatchObject({ definition: null });
    });

    test('keeps its version when it is replaced or retried, unless the retry asks for the latest', async () => {
      const { id } = await api.createAgent();
      await put(id, { limits: { max_attempts: 2, timeout_seconds: 60 }, tags: ['one'], model: 'a' });
      const task = await api.createTask(id, { timeout_seconds: 70, tags: ['own'] });
      await put(id, { limits: { max_attempts: 5, timeout_seconds: 61 }, tags: ['two'], model: 'b' });
      const replaced = await api.call('PUT', pathOf(task), {
        body: { message: 'Else', timeout_seconds: 71, tags: ['own'] },
      });
      expect(replaced.json).toMatchObject({
        agent_version: 1,
        max_attempts: 2,
        timeout_seconds: 71,
        tags: ['one', 'own'],
      });
      await api.call('PUT', `${pathOf(task)}/cancellation`);
      expect(await retry(task)).toMatchObject({
        agent_version: 1,
        max_attempts: 2,
        timeout_seconds: 71,
        tags: ['one', 'own'],
      });
      const latest = { agent_version: 2, max_attempts: 5, timeout_seconds: 71, tags: ['two', 'own'] };
      expect(await retry(task, { agent_version: 'latest' })).toMatchObject(latest);
      expectInvalid(await api.call('POST', `${pathOf(task)}/retries`, { body: { agent_version: 2 } }), 'agent_version');
    });

    test('a batch has one version, and each task its own values', async () => {
      const { id } = await api.createAgent();
      await put(id, { limits: { max_attempts: 7 }, requires: ['gpu'] });
      const tasks = [{ message: 'a' }, { message: 'b', max_attempts: 1 }];
      const { json } = await api.call('POST', `/agents/${id}/task-batches`, { body: { tasks } });
      const { results } = json as { results: { task: Task }[] };
      expect(results.map(({ task }) => [task.agent_version, task.max_attempts])).toEqual([
        [1, 7],
        [1, 1],
      ]);
    });
  });

  describe('labels', () => {
    const taken = async (agentId: string, fields: object) =>
      (
        (await api.requestLease(agentId, { max_tasks: 20, ...fields })).json as { leases: { task: Task }[] } | undefined
      )?.leases.map(({ task }) => task.message) ?? [];

    test('a worker gets only tasks whose labels it has, in the order of their priority and arrival', async () => {
      const { id } = await api.createAgent();
      for (const [message, requires, priority] of [
        ['gpu', ['gpu'], 5],
        ['plain', [], 5],
        ['both', ['gpu', 'eu'], 5],
        ['first', ['eu'], 1],
      ] as const) {
        await api.createTask(id, { message, requires, priority });
      }
      expect(await taken(id, { labels: ['other'] })).toEqual(['plain']);
      expect(await taken(id, { labels: ['eu', 'gpu', 'x'] })).toEqual(['first', 'gpu', 'both']);
    });

    test('a worker that does not accept definitions gets no task with one; a runtime is a label', async () => {
      const { id } = await api.createAgent();
      await put(id, { runtime: 'codex' });
      await api.createTask(id, { message: 'defined' });
      expect(await taken(id, { labels: ['runtime:codex'] })).toEqual([]);
      expect(await taken(id, { accepts: ['definitions'] })).toEqual([]);
      expect(await taken(id, { accepts: ['definitions'], labels: ['runtime:codex'] })).toEqual(['defined']);
    });

    test('a request that waits gets a task as soon as one comes whose labels its worker has', async () => {
      const { id } = await api.createAgent();
      const waiting = api.requestLease(id, { labels: ['gpu'], wait_seconds: 20 });
      const other = api.requestLease(id, { labels: ['tpu'], wait_seconds: 2 });
      await api.createTask(id, { message: 'gpu', requires: ['gpu'] });
      expect((await waiting).status).toBe(201);
      expect((await other).status).toBe(204);
    });

    test('waiting for a worker names the labels that none has, or those that no one has together', async () => {
      const { id } = await api.createAgent();
      const task = await api.createTask(id, { requires: ['nowhere', 'rare'] });
      const waiting = async () => (await api.get(`${pathOf(task)}/waiting`)).json;
      expect(await waiting()).toMatchObject({ reason: 'no_worker', missing_labels: ['nowhere', 'rare'] });
      await api.requestLease(id, { labels: ['rare'], worker_id: 'rare' });
      const until = async (missing_labels: string[] | undefined) => {
        for (;;) {
          const found = (await waiting()) as { missing_labels?: string[] };
          if (JSON.stringify(found.missing_labels) === JSON.stringify(missing_labels)) return found;
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      };
      await until(['nowhere']);
      await api.requestLease(id, { labels: ['nowhere'], worker_id: 'nowhere' });
      await until(['nowhere', 'rare']);
    });

    test('an agent with more than 32 sets of one caller is refused another one until one is free', async () => {
      const { id } = await api.createAgent({ type: api.types[1] as string });
      const create = (requires: string[]) =>
        api.call('POST', `/agents/${id}/tasks`, { body: { message: 'x', requires } });
      const created = await Promise.all(Array.from({ length: 32 }, (_, at) => create([`set:${at}`])));
      expect(created.filter(({ status }) => status === 201)).toHaveLength(32);
      expectError(await create(['one-more']), 409, 'too_many_requirement_sets');
      expect((await create(['set:7'])).status).toBe(201);
      expect((await create([])).status).toBe(201);
      await api.call('DELETE', pathOf(created[3]?.json as Task));
      expect((await create(['one-more'])).status).toBe(201);
      await api.call('DELETE', `/agents/${id}`);
    });
  });

  describe('concurrency', () => {
    const waitingOf = async (task: Task) => (await api.get(`${pathOf(task)}/waiting`)).json;

    test('at most as many tasks of an agent are leased at once as its current definition says', async () => {
      const { id } = await api.createAgent();
      const waiting = api.requestLease(id, { accepts: ['definitions'], wait_seconds: 20, max_tasks: 20 });
      await put(id, { max_concurrency: 1 });
      const [first, second] = [await api.createTask(id), await api.createTask(id)];
      const { leases } = expectStatus<{ leases: Lease[] }>(await waiting, 201);
      expect(leases.map(({ task }) => task.id)).toEqual([first.id]);
      expect(await waitingOf(second)).toMatchObject({ reason: 'concurrency' });
      const next = api.requestLease(id, { accepts: ['definitions'], wait_seconds: 20 });
      await put(id, { max_concurrency: 2 });
      expect((await next).status).toBe(201);
      const last = await api.createTask(id);
      const afterEnd = api.requestLease(id, { accepts: ['definitions'], wait_seconds: 20 });
      await api.report(leases[0] as Lease);
      expect((await afterEnd).json).toMatchObject({ leases: [{ task: { id: last.id } }] });
    });

    test('at most one task of a key runs, in order; one that waits for its retry holds back nobody', async () => {
      const { id } = await api.createAgent();
      const key = { concurrency_key: 'a b', retry_policy: { strategy: 'fixed', delay_seconds: 3_600, jitter: 0 } };
      const [first, second] = [await api.createTask(id, key), await api.createTask(id, key)];
      const urgent = await api.createTask(id, { ...key, priority: 1 });
      const other = await api.createTask(id, { concurrency_key: 'b' });
      const take = async () =>
        ((await api.requestLease(id, { max_tasks: 20 })).json as { leases: Lease[] } | undefined)?.leases ?? [];
      const [held, ...others] = await take();
      expect([held, ...others].map((lease) => lease?.task.id)).toEqual([urgent.id, other.id]);
      expect(await waitingOf(first)).toMatchObject({ reason: 'concurrency', key: 'a b' });
      await api.report(held as Lease, { status: 'failed', error: { code: 'busy', message: 'Busy' } });
      expect(await waitingOf(urgent)).toMatchObject({ reason: 'retry_delay' });
      const [again] = await take();
      expect(again?.task.id).toBe(first.id);
      await api.call('PUT', `${pathOf(first)}/cancellation`);
      expect(await take()).toEqual([]);
      await api.call('DELETE', pathOf(first));
      expect((await take()).map(({ task }) => task.id)).toEqual([second.id]);
    });
  });
}
