import { expect, test } from '@jest/globals';
import { type Api, pathOf, type Task } from '../../harness/api.ts';
import { expectError, expectInvalid } from '../expectations.ts';

/** What each JSON parser of the fleet could change. */
const TEXTS = [
  '12345678901234567890',
  '-1009007199254740993',
  '1.0',
  '-0',
  '2.50e+3',
  '0.1000000000000000055',
  '0.00000001',
  '1E300',
  '"caf\\u00e9 \\/ \\ud83d"',
  '[1,2.0,{"-0":-0.0,"\\u0000":[]}]',
];

/** docs/contract.md "Requests": free JSON is stored and served as it was sent. */
export function specifyFreeJson(api: Api): void {
  const expectStart = (text: string, start: string) => expect(text.slice(0, start.length)).toBe(start);
  const textOf = (text: string, name: string) => text.slice(text.indexOf(`"${name}":`) + name.length + 3);

  test('free JSON of a task comes back as it was sent, from every operation', async () => {
    const agent = await api.createAgent();
    const path = `/agents/${agent.id}/tasks`;
    const free = `[${TEXTS.join(',')}]`;
    const body = `{"message":"x","priority":3.0,"input":${free},"metadata":{"a":${free}},"output_schema":{"const":${free},"minimum":1.0}}`;
    const expectFree = (text: string, result = 'null') => {
      expectStart(textOf(text, 'input'), free);
      expectStart(textOf(text, 'metadata'), `{"a":${free}}`);
      expectStart(textOf(text, 'output_schema'), `{"const":${free},"minimum":1.0}`);
      expectStart(textOf(text, 'result'), result);
    };
    const created = await api.call('POST', path, { body });
    expect(created.status).toBe(201);
    expectFree(created.text);
    const task = created.json as Task;
    expect(task.priority).toBe(3);
    const replaced = await api.call('PUT', pathOf(task), { body });
    expect(replaced.status).toBe(200);
    expectFree(replaced.text);
    const { id, token } = await api.lease(agent.id);
    const reported = await api.call('PUT', `/leases/${id}/result`, {
      body: `{"token":"${token}","status":"completed","result":${free}}`,
    });
    expect(reported.status).toBe(200);
    expectFree(reported.text, free);
    expectFree((await api.get(pathOf(task))).text, free);
    expectFree((await api.get(`${path}?fields=input,metadata,output_schema,result`)).text, free);
    expectFree((await api.call('POST', `${pathOf(task)}/retries`)).text);
    const changed = await api.call('POST', `${pathOf(task)}/retries`, { body: `{"input":[7.10,${free}]}` });
    expectStart(textOf(changed.text, 'input'), `[7.10,${free}]`);
    const batch = await api.call('POST', `/agents/${agent.id}/task-batches`, { body: `{"tasks":[${body}]}` });
    expectFree(batch.text);
  });

  test('a bulk retry keeps free JSON as it was sent', async () => {
    const agent = await api.createAgent();
    const body = '{"message":"x","input":[20000000000000000001,5.0]}';
    const task = (await api.call('POST', `/agents/${agent.id}/tasks`, { body })).json as Task;
    await api.cancel(task);
    const filter = { agent_id: agent.id, status: ['cancelled'] };
    const started = await api.call('POST', '/bulk-actions', { body: { action: 'retry', filter } });
    expect(started.status).toBe(202);
    const next = await api.lease(agent.id, { wait_seconds: 20 });
    expect((await api.get(pathOf(next.task))).text).toContain('"input":[20000000000000000001,5.0],');
  });

  test('two integers beyond 2^53 are two requests, 1.0 and 1 are one', async () => {
    const agent = await api.createAgent();
    let key = 0;
    const create = (input: string) =>
      api.call('POST', `/agents/${agent.id}/tasks`, {
        body: `{"message":"x","input":${input}}`,
        headers: { 'idempotency-key': `exact-${key}` },
      });
    const expectSame = async (one: string, other: string, isSame: boolean) => {
      key += 1;
      expect((await create(one)).status).toBe(201);
      const second = await create(other);
      if (isSame) expect(second.headers['idempotency-replayed']).toBe('true');
      else expectError(second, 422, 'semantic_error');
    };
    await expectSame('36028797018963969', '36028797018963970', false);
    await expectSame('[9e20]', '[900000000000000000001]', false);
    await expectSame('{"a":1.0}', '{"a":1}', true);
    await expectSame('9e20', '900000000000000000000.0', true);
    await expectSame('"\\u00e9"', '"é"', true);
  });

  test('a repeated result compares integers exactly', async () => {
    const { id, token } = await api.createRunning((await api.createAgent()).id);
    const report = (result: string) =>
      api.call('PUT', `/leases/${id}/result`, {
        body: `{"token":"${token}","status":"completed","result":${result}}`,
      });
    expect((await report('{"n":72057594037927937.0}')).status).toBe(200);
    expect((await report('{"n":72057594037927937}')).status).toBe(200);
    expectError(await report('{"n":72057594037927936}'), 409, 'lease_lost');
  });

  test('a number where an object is asked for is 400, however it is written', async () => {
    const agent = await api.createAgent();
    const send = (fields: string) =>
      api.call('POST', `/agents/${agent.id}/tasks`, { body: `{"message":"x",${fields}}` });
    expectInvalid(await send('"metadata":1.0'), 'metadata');
    expectInvalid(await send('"output_schema":"\\u00e9"'), 'output_schema');
    expectInvalid(await send('"input":[1e999]'), '');
  });
}
