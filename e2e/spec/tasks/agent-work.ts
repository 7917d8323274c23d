import { until } from '@agent-fleet/shared/testing/until';
import { describe, expect, test } from '@jest/globals';
import { type Api, pathOf, type Task } from '../../harness/api.ts';
import { expectStatus } from '../../harness/http-client.ts';
import { expectInvalid, expectResponse } from '../expectations.ts';

const KIB = 1024;
const DIGEST = `sha256:${'0a'.repeat(32)}`;
const GIVEN = {
  skills: ['owner~repo~one', { id: 'Größe.2', digest: DIGEST }],
  workspace: { repository: 'ssh://git@git.example.com/acme/shop.git', ref: 'feature/x' },
  model: 'claude-opus-5[1m]',
  output_schema: { type: 'object', properties: { notes: { type: 'string' } } },
  max_cost: { amount: 2.5, currency: 'USD' },
};
const UNSET = { skills: null, workspace: null, model: null, output_schema: null, max_cost: null, continue_of: null };

const deep = (levels: number): object => (levels === 0 ? {} : { not: deep(levels - 1) });
const withDigests = (...digests: string[]) => digests.map((digest, at) => ({ id: `${at}`, digest }));

/** What each case sends in addition to a good message, and the fields that the response must name. */
const CASES: Record<string, [fields: Record<string, unknown>, ...paths: string[]]> = {
  'fields of another type': [
    { skills: 'a', workspace: 'https://git.example.com/a', output_schema: [], max_cost: 5, continue_of: 5 },
    ...['skills', 'workspace', 'output_schema', 'max_cost', 'continue_of'],
  ],
  '17 skills': [{ skills: Array.from({ length: 17 }, (_, at) => `skill-${at}`) }, 'skills'],
  'skills that are no names': [
    { skills: ['a', 5, '', 'x'.repeat(201), 'a/b', '..', 'a\\b', 'a b'] },
    ...[1, 2, 3, 4, 5, 6, 7].map((at) => `skills.${at}`),
  ],
  'digests that are none': [
    { skills: withDigests(`sha1:${'0'.repeat(40)}`, DIGEST.toUpperCase(), `${DIGEST}0`) },
    ...['skills.0.digest', 'skills.1.digest', 'skills.2.digest'],
  ],
  'a skill without a digest, and one with an unknown field': [
    { skills: [{ id: 'a' }, { id: 'b', digest: DIGEST, url: 'x' }] },
    ...['skills.0.digest', 'skills.1.url'],
  ],
  'a skill twice': [{ skills: ['a', 'b', { id: 'a', digest: DIGEST }] }, 'skills.2'],
  'a workspace without a repository': [
    { workspace: { ref: 'main', path: '/' } },
    ...['workspace.repository', 'workspace.path'],
  ],
  'a repository with credentials, and a ref that is an option': [
    { workspace: { repository: 'https://token@git.example.com/a', ref: '--exec=id' } },
    ...['workspace.repository', 'workspace.ref'],
  ],
  'a repository of 2049 characters, and a ref of 256': [
    { workspace: { repository: `https://x.example/${'a'.repeat(2_031)}`, ref: 'a'.repeat(256) } },
    ...['workspace.repository', 'workspace.ref'],
  ],
  'a repository and a ref of another type': [
    { workspace: { repository: {}, ref: 5 } },
    ...['workspace.repository', 'workspace.ref'],
  ],
  'an empty model': [{ model: '' }, 'model'],
  'a model that is an option': [{ model: '--dangerous' }, 'model'],
  'a model with a blank': [{ model: 'gpt 6' }, 'model'],
  'a model with a control character': [{ model: 'gpt\u0007' }, 'model'],
  'a model of 129 characters': [{ model: 'x'.repeat(129) }, 'model'],
  'a schema that is true': [{ output_schema: true }, 'output_schema'],
  'a schema over 64 KiB, of which nothing else is checked': [
    { output_schema: { properties: { a: { type: 'text' } }, description: 'x'.repeat(64 * KIB) } },
    'output_schema',
  ],
  'a schema nested too deep': [{ output_schema: deep(150) }, 'output_schema'],
  'a schema of which a part is none': [
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
};

/** docs/contract.md "Tasks": fields for the work of an agent. */
export function specifyAgentWork(api: Api): void {
  const post = (agentId: string, body: unknown) => api.call('POST', `/agents/${agentId}/tasks`, { body });
  async function createEnded(agentId: string, fields: Record<string, unknown> = {}): Promise<Task> {
    const task = await api.createTask(agentId, fields);
    expectStatus(await api.cancel(task), 200);
    return task;
  }

  test('the fields are served as they were given, also by a search for them', async () => {
    const { id } = await api.createAgent();
    const given = { ...GIVEN, continue_of: (await createEnded(id)).id };
    const task = await api.createTask(id, given);
    expect(task).toMatchObject(given);
    const fields = [...Object.keys(given), 'usage', 'cost'];
    expectResponse(await api.get(`/tasks?id=${task.id}&fields=${fields}`), 200, [
      { id: task.id, ...given, usage: null, cost: null },
    ]);
    expect(await api.createTask(id, UNSET)).toMatchObject(UNSET);
  });

  test('a repository may have no ref, and an amount has six decimals', async () => {
    const repository = 'file:///srv/git/shop.git';
    const fields = { workspace: { repository }, max_cost: { amount: 0.1234567, currency: 'USD' } };
    expect(await api.createTask((await api.createAgent()).id, fields)).toMatchObject({
      workspace: { repository, ref: null },
      max_cost: { amount: 0.123457, currency: 'USD' },
    });
  });

  test('a schema may have properties with hostile names', async () => {
    const { id } = await api.createAgent();
    const schema = '{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}';
    const response = await post(id, `{"message":"x","output_schema":${schema}}`);
    expect(response.status).toBe(201);
    expect(response.text).toContain(`"output_schema":${schema}`);
  });

  test('PUT replaces the fields, and omitted ones become null', async () => {
    const task = await api.createTask((await api.createAgent()).id, GIVEN);
    const body = { message: 'y', model: 'gpt-6', skills: [] };
    const replaced = expectStatus<Task>(await api.call('PUT', pathOf(task), { body }), 200);
    expect(replaced).toMatchObject({ ...UNSET, model: 'gpt-6', skills: [] });
  });

  describe('an invalid task is 400 with the names of its fields:', () => {
    test.each(Object.entries(CASES))('%s', async (_what, [fields, ...paths]) => {
      const { id } = await api.createAgent();
      expectInvalid(await post(id, { message: 'Good', ...fields }), ...paths);
      expectResponse(await api.get(`/agents/${id}/tasks`), 200, []);
    });
  });

  test('a task continues only an ended task of the same agent', async () => {
    const [{ id }, other] = [await api.createAgent(), await api.createAgent()];
    const [ended, pending, foreign] = [await createEnded(id), await api.createTask(id), await createEnded(other.id)];
    const found = async (continue_of: string) => {
      const { status, json } = await post(id, { message: 'x', continue_of });
      return [status, (json as { details?: { fields: unknown } }).details?.fields];
    };
    const problem = (code: string, message: string) => [422, [{ path: 'continue_of', code, message }]];
    expect(await found(ended.id)).toEqual([201, undefined]);
    expect(await found(pending.id)).toEqual(problem('not_ended', 'is a task that has not ended'));
    const unknown = problem('unknown_task', 'is not a task of this agent');
    expect([await found(foreign.id), await found('x')]).toEqual([unknown, unknown]);
    const body = { message: 'x', continue_of: 'x' };
    expect((await api.call('PUT', pathOf(pending), { body })).status).toBe(422);
    const tasks = [ended, foreign].map((task) => ({ message: 'x', continue_of: task.id }));
    const batch = await api.call('POST', `/agents/${id}/task-batches`, { body: { tasks } });
    const { results } = expectStatus<{ results: { status: number }[] }>(batch, 201);
    expect(results.map(({ status }) => status)).toEqual([201, 422]);
  });

  test('a retry has all fields of the ended task, and continues the same one, also in a bulk action', async () => {
    const { id } = await api.createAgent();
    const given = { ...GIVEN, continue_of: (await createEnded(id)).id };
    const ended = await createEnded(id, { ...given, tags: ['again'] });
    const retry = expectStatus<Task>(await api.call('POST', `${pathOf(ended)}/retries`), 201);
    expect(retry).toMatchObject({ ...given, retry_of: ended.id });
    const body = { action: 'retry', filter: { tag: 'again', agent_id: id } };
    const action = expectStatus<{ id: string }>(await api.call('POST', '/bulk-actions', { body }), 202);
    const read = async () => ((await api.get(`/bulk-actions/${action.id}`)).json as { state: string }).state;
    await until(read, { holds: (state) => state === 'completed' });
    const found = await api.get(`/tasks?tag=again&agent_id=${id}&status=pending`);
    expectResponse(found, 200, [retry, expect.objectContaining({ ...given, retry_of: ended.id })]);
  });
}
