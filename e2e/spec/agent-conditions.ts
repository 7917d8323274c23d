import { expect, test } from '@jest/globals';
import type { Agent, Api } from '../harness/api.ts';
import { expectAnswer, expectDetail, expectError, expectNoBody, STRONG_ETAG } from './expectations.ts';

interface Made {
  agent: Agent;
  path: string;
  etag: string;
}

/** docs/contract.md "Agents": 304 and `If-Match`; RFC 9110 section 13. */
export function specifyAgentConditions(api: Api): void {
  async function make(): Promise<Made> {
    const agent = await api.createAgent();
    const path = `/agents/${agent.id}`;
    return { agent, path, etag: String((await api.get(path)).headers.etag) };
  }
  const replace = (path: string, ifMatch: string | undefined, name = 'Changed') =>
    api.call('PUT', path, {
      headers: ifMatch === undefined ? {} : { 'if-match': ifMatch },
      body: { name, type: api.types[0] },
    });

  test('GET with If-None-Match is 304 when one of its tags is current, by weak comparison', async () => {
    const { path, etag } = await make();
    for (const known of [etag, `W/${etag}`, '*', `"other", ${etag}`, `"a","b",W/${etag} , "c"`]) {
      const answer = await api.get(path, { 'if-none-match': known });
      expectNoBody(answer, 304);
      expect(answer.headers.etag).toBe(etag);
      expectNoBody(await api.call('HEAD', path, { headers: { 'if-none-match': known } }), 304);
    }
    for (const known of ['"other"', etag.replaceAll('"', ''), `"${etag}"`, '']) {
      expect((await api.get(path, { 'if-none-match': known })).status).toBe(200);
    }
  });

  test('the ETag changes with the name and with the type', async () => {
    const { agent, path, etag } = await make();
    const renamed = await api.call('PUT', path, { body: { name: 'Other', type: agent.type } });
    const retyped = await api.call('PUT', path, { body: { name: 'Other', type: api.types[1] } });
    const tags = [etag, renamed.headers.etag, retyped.headers.etag];
    expect(new Set(tags).size).toBe(3);
    for (const tag of tags) expect(tag).toMatch(STRONG_ETAG);
    expect((await api.get(path, { 'if-none-match': etag })).headers.etag).toBe(retyped.headers.etag);
  });

  test('PUT with If-Match changes the agent when one of the tags is current', async () => {
    const { path, etag } = await make();
    const first = await replace(path, etag, 'One');
    expect(first.status).toBe(200);
    const second = await replace(path, `"other", ${first.headers.etag}`, 'Two');
    expect(second.status).toBe(200);
    expect((await replace(path, '*', 'Three')).status).toBe(200);
  });

  test('PUT with a stale, weak or malformed If-Match is 412 and changes nothing', async () => {
    const { agent, path, etag } = await make();
    for (const tag of ['"stale"', `W/${etag}`, '"a", "b"', 'garbled', etag.replaceAll('"', '')]) {
      expectError(await replace(path, tag), 412, 'precondition_failed');
    }
    expectAnswer(await api.get(path), 200, agent);
  });

  test('DELETE honors If-Match', async () => {
    const { agent, path, etag } = await make();
    const remove = (tag: string) => api.call('DELETE', path, { headers: { 'if-match': tag } });
    expectError(await remove('"stale"'), 412, 'precondition_failed');
    expectAnswer(await api.get(path), 200, agent);
    expectNoBody(await remove(etag), 204);
    expectDetail(await remove(etag), 404, 'Agent not found');
  });

  test('a missing agent is 404 whatever If-Match says', async () => {
    for (const tag of ['*', '"any"']) {
      expectDetail(await replace('/agents/missing', tag), 404, 'Agent not found');
      expectDetail(
        await api.call('DELETE', '/agents/missing', { headers: { 'if-match': tag } }),
        404,
        'Agent not found',
      );
    }
  });

  test('exactly one of many concurrent replacements with the same If-Match succeeds', async () => {
    const { path, etag } = await make();
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => replace(path, etag, `Writer ${at}`)));
    const winners = answers.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(19);
    expectAnswer(await api.get(path), 200, winners[0]?.json);
  });
}
