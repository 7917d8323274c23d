import { describe, expect, test } from '@jest/globals';
import type { Agent, Api } from '../harness/api.ts';
import type { Answer } from '../harness/http-client.ts';
import { expectAnswer, expectInvalid, expectJson, expectNoBody, linksOf } from './expectations.ts';

const agentsOf = (answer: Answer) => answer.json as Agent[];
const totalOf = ({ headers }: Answer) => {
  expect(headers['x-total-count']).toMatch(/^\d+$/);
  return Number(headers['x-total-count']);
};

/** Specification "List agents", "Limits"; docs/contract.md "Agents". */
export function specifyAgentList(api: Api): void {
  test('the list is a bare array, oldest first, with its total', async () => {
    const before = totalOf(await api.get('/agents?limit=1'));
    const made: Agent[] = [];
    for (let count = 0; count < 5; count++) made.push(await api.createAgent({ name: `Agent ${count}` }));
    const answer = await api.get(`/agents?skip=${before}`);
    expectAnswer(answer, 200, made);
    expect(totalOf(answer)).toBe(before + 5);
  });

  test('the list has 100 agents by default, at most 1000, and never more than the limit', async () => {
    await api.createAgents(101);
    expect(agentsOf(await api.get('/agents'))).toHaveLength(100);
    expect(agentsOf(await api.get('/agents?limit=1'))).toHaveLength(1);
    const all = await api.get('/agents?limit=1000');
    expect(agentsOf(all)).toHaveLength(Math.min(1000, totalOf(all)));
  });

  test('Link leads through all pages, forward and back, with the same other parameters', async () => {
    await api.createAgents(5, { type: api.types[1] });
    const first = await api.get(`/agents?limit=7&type=${api.types[1]}&colour=red`);
    expect(linksOf(first).prev).toBeUndefined();
    const seen = [...agentsOf(first)];
    let page = first;
    for (let next = linksOf(first).next; next; next = linksOf(page).next) {
      expect(next).toMatch(/^\/agents\?/);
      expect(next).toContain(`type=${api.types[1]}`);
      page = await api.get(next);
      expect(page.status).toBe(200);
      seen.push(...agentsOf(page));
    }
    expect(new Set(seen.map(({ id }) => id)).size).toBe(totalOf(page));
    expect(seen).toHaveLength(totalOf(page));
    expect(seen.every(({ type }) => type === api.types[1])).toBe(true);
    for (let prev = linksOf(page).prev; prev; prev = linksOf(page).prev) page = await api.get(prev);
    expect(agentsOf(page)).toEqual(agentsOf(first));
  });

  test('a page after the end is empty, with the total and a previous but no next link', async () => {
    for (const skip of [100_000_000, Number.MAX_SAFE_INTEGER]) {
      const answer = await api.get(`/agents?skip=${skip}`);
      expectAnswer(answer, 200, []);
      expect(totalOf(answer)).toBeGreaterThan(0);
      expect(Object.keys(linksOf(answer))).toEqual(['prev']);
    }
  });

  test('status and type filter the list and its total, where an empty one is no filter', async () => {
    await Promise.all(api.types.map((type) => api.createAgent({ type })));
    const total = totalOf(await api.get('/agents'));
    expect(totalOf(await api.get('/agents?status=idle'))).toBe(total);
    expect(totalOf(await api.get('/agents?status=&type='))).toBe(total);
    const totals = await Promise.all(api.types.map((type) => api.get(`/agents?type=${type}&limit=1000`)));
    expect(totals.map(totalOf).reduce((sum, count) => sum + count)).toBe(total);
    for (const [at, answer] of totals.entries()) {
      expect(agentsOf(answer).every(({ type }) => type === api.types[at])).toBe(true);
      const both = await api.get(`/agents?status=idle&type=${api.types[at]}&limit=1000`);
      expect(agentsOf(both)).toEqual(agentsOf(answer));
    }
  });

  test('a replaced or deleted agent is listed by its new values at once', async () => {
    const agent = await api.createAgent({ type: api.types[0] });
    const count = async (type = '') => totalOf(await api.get(`/agents?type=${type}`));
    const [first, second] = [await count(api.types[0]), await count(api.types[1])];
    await api.call('PUT', `/agents/${agent.id}`, { body: { name: 'Moved', type: api.types[1] } });
    expect([await count(api.types[0]), await count(api.types[1])]).toEqual([first - 1, second + 1]);
    await api.call('DELETE', `/agents/${agent.id}`);
    expect([await count(api.types[0]), await count(api.types[1])]).toEqual([first - 1, second]);
  });

  describe('any text is a legal status or type, and one that no agent has gives []:', () => {
    const texts = [
      'nope',
      'IDLE',
      'idle%20',
      '%00',
      '%ff',
      '*',
      'a:b',
      'idle%0a',
      '__proto__',
      '../x',
      'idle,active',
      'x'.repeat(4_000),
    ];
    test.each(texts.map((text) => [text.slice(0, 30), text]))('%s', async (_shown, text) => {
      for (const parameter of ['status', 'type']) {
        const answer = await api.get(`/agents?${parameter}=${text}`);
        expectAnswer(answer, 200, []);
        expect(totalOf(answer)).toBe(0);
      }
    });

    test('a status that is spelt like the name of an index', async () => {
      const { type } = await api.createAgent();
      for (const status of [`idle:type:${type}`, `:type:${type}`, 'status:idle']) {
        expectAnswer(await api.get(`/agents?status=${status}`), 200, []);
      }
    });
  });

  describe('skip and limit that are no whole number within bounds are 400:', () => {
    const bad = [
      '',
      '-1',
      '1.5',
      '0x10',
      '%205',
      '5%20',
      '+5',
      '%2B5',
      '1e2',
      'abc',
      'NaN',
      'Infinity',
      '5,5',
      '%D9%A5',
      '99999999999999999999',
      'null',
      '1_0',
      '%00',
    ];
    test.each(bad)('"%s"', async (text) => {
      expectInvalid(await api.get(`/agents?skip=${text}`), 'skip');
      expectInvalid(await api.get(`/agents?limit=${text}`), 'limit');
      expectInvalid(await api.get(`/agents?limit=${text}&skip=${text}`), 'limit', 'skip');
    });

    test('limit below 1 and above 1000', async () => {
      for (const text of ['0', '1001', '-100']) expectInvalid(await api.get(`/agents?limit=${text}`), 'limit');
    });

    test('a repeated parameter', async () => {
      expectInvalid(await api.get('/agents?limit=5&limit=5'), 'limit');
      expectInvalid(await api.get('/agents?skip=0&skip=0'), 'skip');
    });
  });

  test('unknown query parameters are ignored', async () => {
    const answer = await api.get('/agents?limit=1&colour=red&limit[]=x&LIMIT=0&__proto__=1&constructor=2');
    expect(answer.status).toBe(200);
    expectJson(answer);
    expect(agentsOf(answer)).toHaveLength(1);
  });

  test('HEAD is like GET without a body', async () => {
    await api.createAgent();
    const [get, head] = [await api.get('/agents?limit=1'), await api.call('HEAD', '/agents?limit=1')];
    expect({ status: head.status, body: head.text }).toEqual({ status: 200, body: '' });
    for (const name of ['content-type', 'content-length', 'x-total-count', 'link']) {
      expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
    }
    expect((await api.call('HEAD', '/agents?limit=0')).status).toBe(400);
    expectNoBody(await api.call('OPTIONS', '/agents'), 204);
  });
}
