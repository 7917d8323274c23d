import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Agent, Api, Task } from '../harness/api.ts';
import type { HttpResponse } from '../harness/http-client.ts';
import { expectError, expectInvalid } from './expectations.ts';

const MIB = 1024 * 1024;

/** docs/contract.md "Errors": 400, 413 and 415 of a body, which are the same for each operation with a body. */
export function specifyBodies(api: Api): void {
  let agent: Agent;
  let task: Task;
  beforeAll(async () => {
    agent = await api.createAgent();
    task = await api.createTask(agent.id);
  });

  const toAgent = () => ({ name: 'x', type: api.types[0] });
  const toTask = () => ({ message: 'x' });
  const targets: Record<string, () => object> = {
    'POST /agents': toAgent,
    'PUT /agents/{agent_id}': toAgent,
    'POST /agents/{agent_id}/tasks': toTask,
    'PUT /agents/{agent_id}/tasks/{task_id}': toTask,
    'POST /agents/{agent_id}/task-batches': () => ({ tasks: [toTask()] }),
    'POST /agents/{agent_id}/leases': () => ({ worker_id: 'x', lease_seconds: 5 }),
  };
  describe.each(Object.entries(targets))('%s', (name, toGood) => {
    const [method = '', template = ''] = name.split(' ');
    const toPath = () => template.replace('{agent_id}', agent.id).replace('{task_id}', task.id);
    function send(body: string | Buffer, headers: Record<string, string> = {}): Promise<HttpResponse> {
      return api.call(method, toPath(), { body, headers });
    }
    const good = () => JSON.stringify(toGood());

    test.each([
      ['broken off', '{"name":'],
      ['with a trailing comma', '{"name":"x",}'],
      ['with single quotes', "{'name':'x'}"],
      ['with something behind it', '{} {}'],
      ['with NaN', '{"name":NaN}'],
      ['with a comment', '{/* */}'],
      ['of blanks only', '   '],
      ['not JSON at all', 'name=x'],
    ])('JSON %s is 400 that says where', async (_what, body) => {
      const response = await send(body);
      expectInvalid(response, '');
      expect(response.text).toMatch(/"The body is not valid JSON at line 1, column \d+"/);
    });

    test('a missing body is 400', async () => {
      expectInvalid(await send(''), '');
      expectInvalid(await api.call(method, toPath()), '');
    });

    test('a body that is not UTF-8 is 400 that says where', async () => {
      const response = await send(Buffer.from('{\n"name":"\xff"}', 'latin1'));
      expectInvalid(response, '');
      expect(response.text).toContain('"The body is not UTF-8 at line 2, column 9"');
      expectInvalid(await send(Buffer.from('{"name":"\xed\xa0\x80"}', 'latin1')), '');
      expectInvalid(await send(Buffer.from(good(), 'utf16le')), '');
    });

    test('a deeply nested body is 400', async () => {
      for (const depth of [1_000, 80_000]) {
        expectInvalid(await send('['.repeat(depth) + ']'.repeat(depth)), '');
        const deep = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
        expectInvalid(await send(`{"input":${deep},"name":${deep}}`), '');
      }
    });

    test('a body of more than 1 MiB is 413, with and without Content-Length', async () => {
      const padding = ' '.repeat(MIB - good().length);
      expect((await send(good() + padding)).status).toBeLessThan(300);
      expectError(await send(`${good()}${padding} `), 413, 'payload_too_large');
      const chunked = { 'transfer-encoding': 'chunked' };
      expectError(await send(`${good()}${padding} `, chunked), 413, 'payload_too_large');
    });

    test('a media type other than JSON is 415', async () => {
      const types = [
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/xml',
        'multipart/form-data; boundary=x',
      ];
      for (const type of [...types, 'application/jsonx', 'application/merge-patch+json', 'json', '']) {
        expectError(await send(good(), { 'content-type': type }), 415, 'unsupported_media_type');
      }
      const charset = { 'content-type': 'application/json; charset=iso-8859-1' };
      expectError(await send(good(), charset), 415, 'unsupported_media_type');
      expectError(await send(gzipSync(good()), { 'content-encoding': 'gzip' }), 415, 'unsupported_media_type');
    });

    test('a JSON media type is accepted with parameters, in any case', async () => {
      for (const type of [
        'application/json; charset=utf-8',
        'Application/JSON',
        'application/json;charset="UTF-8"',
        'application/json; charset=utf8',
      ]) {
        expect((await send(good(), { 'content-type': type })).status).toBeLessThan(300);
      }
    });
  });

  test('a body is ignored by an operation without one', async () => {
    const body = { body: '{', headers: { 'content-type': 'text/plain' } };
    expect((await api.call('GET', `/agents/${agent.id}`, body)).status).toBe(200);
    const other = await api.createAgent();
    expect((await api.call('DELETE', `/agents/${other.id}`, body)).status).toBe(204);
  });
}
