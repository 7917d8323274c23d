import { setImmediate as nextTurn } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../support/start-service.ts';

const KIB = 1024;
const DIGEST = `sha256:${'0a'.repeat(32)}`;
const SCHEMA = { type: 'object', properties: { notes: { type: 'string' } } };

const service = await startService({ backgroundEveryMs: 3_600_000 });
afterAll(() => service.close());

const GIVEN = {
  skills: ['owner~repo~one', { id: 'Größe.2', digest: DIGEST }],
  workspace: { repository: 'ssh://git@git.example.com/acme/shop.git', ref: 'feature/x' },
  model: 'claude-opus-5[1m]',
  output_schema: SCHEMA,
  max_cost: { amount: 2.5, currency: 'USD' },
};
const UNSET = { skills: null, workspace: null, model: null, output_schema: null, max_cost: null, continue_of: null };

/** Creates a task that has ended. */
async function createEnded(agentId: string, fields: object = {}) {
  const task = await service.createTask(agentId, fields);
  await service.http.put(`/agents/${agentId}/tasks/${task.id}/cancellation`).expect(200);
  return task;
}

async function post(agentId: string, fields: object) {
  return service.http.post(`/agents/${agentId}/tasks`).send({ message: 'x', ...fields });
}

test('serves the fields as they were given, in each list and search', async () => {
  const agent = await service.createAgent();
  const ended = await createEnded(agent);
  const given = { ...GIVEN, continue_of: ended.id };
  const task = await service.createTask(agent, given);
  expect(task).toMatchObject({ ...given, usage: null, cost: null });
  const names = [...Object.keys(given), 'usage', 'cost'];
  const { body } = await service.http.get(`/tasks?id=${task.id}&fields=${names}`).expect(200);
  expect(body).toEqual([{ id: task.id, ...given, usage: null, cost: null }]);
});

test.each([
  ['absent', {}],
  ['null', UNSET],
])('serves null for fields that are %s', async (_what, fields) => {
  expect(await service.createTask(await service.createAgent(), fields)).toMatchObject(UNSET);
});

test('serves a repository without a ref, and six decimals of an amount', async () => {
  const repository = 'file:///srv/git/shop.git';
  const fields = { workspace: { repository }, max_cost: { amount: 0.1234567, currency: 'USD' } };
  expect(await service.createTask(await service.createAgent(), fields)).toMatchObject({
    workspace: { repository, ref: null },
    max_cost: { amount: 0.123457, currency: 'USD' },
  });
});

test('replaces the fields of a pending task', async () => {
  const agent = await service.createAgent();
  const { id } = await service.createTask(agent, GIVEN);
  const path = `/agents/${agent}/tasks/${id}`;
  const { body } = await service.http.put(path).send({ message: 'y', model: 'gpt-6', skills: [] }).expect(200);
  expect(body).toMatchObject({ ...UNSET, model: 'gpt-6', skills: [] });
});

const many = (length: number) => Array.from({ length }, (_, at) => `skill-${at}`);
const deep = (levels: number): object => (levels === 0 ? {} : { not: deep(levels - 1) });
const withRepository = (repository: unknown) => ({ workspace: { repository } });
const withRef = (ref: unknown) => ({ workspace: { repository: 'https://git.example.com/a', ref } });

const REFUSED: Record<string, [fields: object, ...paths: string[]]> = {
  '17 skills': [{ skills: many(17) }, 'skills'],
  'skills of another type': [{ skills: 'a' }, 'skills'],
  'a skill of another type': [{ skills: ['a', 5] }, 'skills.1'],
  'a skill without a name': [{ skills: [''] }, 'skills.0'],
  'skills that are paths': [{ skills: ['a/b', '..', 'a\\b', 'a b'] }, 'skills.0', 'skills.1', 'skills.2', 'skills.3'],
  'a skill of 201 characters': [{ skills: ['x'.repeat(201)] }, 'skills.0'],
  'a skill without a digest': [{ skills: [{ id: 'a' }] }, 'skills.0.digest'],
  'digests that are none': [
    {
      skills: [`sha1:${'0'.repeat(40)}`, DIGEST.toUpperCase(), `${DIGEST}0`].map((digest, at) => ({
        id: `${at}`,
        digest,
      })),
    },
    ...['skills.0.digest', 'skills.1.digest', 'skills.2.digest'],
  ],
  'an unknown field of a skill': [{ skills: [{ id: 'a', digest: DIGEST, url: 'x' }] }, 'skills.0.url'],
  'a skill twice': [{ skills: ['a', 'b', { id: 'a', digest: DIGEST }] }, 'skills.2'],
  'a workspace of another type': [{ workspace: 'https://git.example.com/a' }, 'workspace'],
  'a workspace without a repository': [
    { workspace: { ref: 'main', path: '/' } },
    'workspace.repository',
    'workspace.path',
  ],
  'a repository with credentials': [withRepository('https://token@git.example.com/a'), 'workspace.repository'],
  'a repository of 2049 characters': [withRepository(`https://x.example/${'a'.repeat(2_031)}`), 'workspace.repository'],
  'a repository that is an option': [withRepository('--upload-pack=id'), 'workspace.repository'],
  'a ref that is an option': [withRef('--exec=id'), 'workspace.ref'],
  'a ref of 256 characters': [withRef('a'.repeat(256)), 'workspace.ref'],
  'a ref of another type': [withRef(5), 'workspace.ref'],
  'a model that is an option': [{ model: '--dangerous' }, 'model'],
  'a model with a blank': [{ model: 'gpt 6' }, 'model'],
  'a model with a control character': [{ model: 'gpt\u0007' }, 'model'],
  'a model of 129 characters': [{ model: 'x'.repeat(129) }, 'model'],
  'an empty model': [{ model: '' }, 'model'],
  'a schema of another type': [{ output_schema: [] }, 'output_schema'],
  'a schema that is true': [{ output_schema: true }, 'output_schema'],
  'a schema over 64 KiB': [{ output_schema: { description: 'x'.repeat(64 * KIB) } }, 'output_schema'],
  'a schema nested too deep': [{ output_schema: deep(150) }, 'output_schema'],
  'a schema that is none': [
    { output_schema: { properties: { a: { type: 'text' } } } },
    'output_schema.properties.a.type',
  ],
  'a schema of an unknown draft': [{ output_schema: { $schema: 'https://x.example' } }, 'output_schema.$schema'],
  'a schema that reads others': [{ output_schema: { $ref: 'http://x.example' } }, 'output_schema.$ref'],
  'a limit of 0': [{ max_cost: { amount: 0, currency: 'USD' } }, 'max_cost.amount'],
  'a limit that is rounded to 0': [{ max_cost: { amount: 4e-7, currency: 'USD' } }, 'max_cost.amount'],
  'a limit above a million': [{ max_cost: { amount: 1_000_000.01, currency: 'USD' } }, 'max_cost.amount'],
  'a limit in another currency': [{ max_cost: { amount: 1, currency: 'EUR' } }, 'max_cost.currency'],
  'a limit without a currency': [{ max_cost: { amount: 1 } }, 'max_cost.currency'],
  'a limit that is a number': [{ max_cost: 5 }, 'max_cost'],
  'a task to continue of another type': [{ continue_of: 5 }, 'continue_of'],
  'fields that only the service sets': [{ usage: null, cost: null }, 'usage', 'cost'],
};

test.each(Object.entries(REFUSED))('refuses %s', async (_what, [fields, ...paths]) => {
  const { status, body } = await post(await service.createAgent(), fields);
  expect([status, body.error]).toEqual([400, 'validation_error']);
  expect(body.details.fields.map(({ path }: { path: string }) => path).toSorted()).toEqual(paths.toSorted());
});

test('says to whom credentials belong', async () => {
  const { body } = await post(await service.createAgent(), withRepository('https://a:b@git.example.com/a'));
  expect(body.message).toBe('workspace.repository: must not have credentials: these belong to the worker');
});

test('keeps a schema whose properties have hostile names', async () => {
  const agent = await service.createAgent();
  const output_schema = '{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}';
  const { text } = await service.http
    .post(`/agents/${agent}/tasks`)
    .set('content-type', 'application/json')
    .send(`{"message":"x","output_schema":${output_schema}}`)
    .expect(201);
  expect(text).toContain(`"output_schema":${output_schema}`);
});

test('continues only an ended task of the same agent', async () => {
  const [agent, other] = [await service.createAgent(), await service.createAgent()];
  const [ended, pending, foreign] = [
    await createEnded(agent),
    await service.createTask(agent),
    await createEnded(other),
  ];
  const found = async (continue_of: string) => {
    const { status, body } = await post(agent, { continue_of });
    return [status, body.details?.fields];
  };
  const problem = (code: string, message: string) => [422, [{ path: 'continue_of', code, message }]];
  expect(await found(ended.id)).toEqual([201, undefined]);
  expect(await found(pending.id)).toEqual(problem('not_ended', 'is a task that has not ended'));
  const unknown = problem('unknown_task', 'is not a task of this agent');
  expect(await found(foreign.id)).toEqual(unknown);
  expect(await found('x')).toEqual(unknown);
  await service.http.put(`/agents/${agent}/tasks/${pending.id}`).send({ message: 'x', continue_of: 'x' }).expect(422);
  const tasks = [
    { message: 'x', continue_of: ended.id },
    { message: 'x', continue_of: foreign.id },
  ];
  const { body } = await service.http.post(`/agents/${agent}/task-batches`).send({ tasks }).expect(201);
  expect(body.results.map(({ status }: { status: number }) => status)).toEqual([201, 422]);
});

test('handles other requests while it checks the schemas of a large batch', async () => {
  const agent = await service.createAgent();
  const task = { message: 'x', output_schema: { anyOf: Array.from({ length: 3_000 }, () => ({})) } };
  const tasks = Array<object>(100).fill(task);
  // The service runs in this thread. Its processor time, unlike the clock, knows no other process of the machine.
  const processorMs = () => process.threadCpuUsage().user / 1_000;
  const begin = processorMs();
  let isDone = false;
  let longestTurnMs = 0;
  const watchTurns = async () => {
    for (let last = begin; !isDone; ) {
      await nextTurn();
      const now = processorMs();
      longestTurnMs = Math.max(longestTurnMs, now - last);
      last = now;
    }
  };
  const readAll = async () => {
    while (!isDone) await service.http.get(`/agents/${agent}`).expect(200);
  };
  const others = Promise.all([watchTurns(), readAll()]);
  const { status } = await service.http
    .post(`/agents/${agent}/task-batches`)
    .send({ tasks })
    .finally(() => {
      isDone = true;
    });
  const wholeMs = processorMs() - begin;
  await others;
  expect(status).toBe(201);
  expect(longestTurnMs).toBeLessThan(wholeMs / 5);
});

test('does not check a schema that is too large', async () => {
  const output_schema = { properties: { a: { type: 'text' } }, description: 'x'.repeat(64 * KIB) };
  const { body } = await post(await service.createAgent(), { output_schema });
  expect(body.details.fields).toHaveLength(1);
});

test('a retry has all fields of the ended task, and continues the same one', async () => {
  const agent = await service.createAgent();
  const first = await createEnded(agent);
  const given = { ...GIVEN, continue_of: first.id };
  const ended = await createEnded(agent, { ...given, tags: ['again'] });
  const { body } = await service.http.post(`/agents/${agent}/tasks/${ended.id}/retries`).expect(201);
  expect(body).toMatchObject({ ...given, retry_of: ended.id });
  const { body: action } = await service.http
    .post('/bulk-actions')
    .send({ action: 'retry', filter: { tag: 'again', agent_id: agent } })
    .expect(202);
  const read = async () => (await service.http.get(`/bulk-actions/${action.id}`)).body.state;
  await until(read, { holds: (state) => state === 'completed' });
  const { body: found } = await service.http.get(`/tasks?tag=again&agent_id=${agent}&status=pending`).expect(200);
  expect(found).toEqual([body, expect.objectContaining({ ...given, retry_of: ended.id })]);
});
