import { describe, expect, test } from '@jest/globals';
import { type OpenApiDocument, operationsOf } from '../contract/document.ts';
import type { Agent, Api, Task } from '../harness/api.ts';
import type { HttpResponse } from '../harness/http-client.ts';
import { expectInvalid, expectJson, expectResponse, linksOf, pagesOf } from './expectations.ts';

interface List {
  /** The path, to which more query parameters may be appended. */
  path: string;
  /** Number of records before those of the test. */
  offset: number;
  /** In the order of the list. */
  records: unknown[];
}

/** Replicas give ids of the same millisecond in any order. */
function inOrder<T extends { id: string }>(records: readonly T[]): T[] {
  return records.toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

const idsOf = ({ json }: HttpResponse) => (json as Task[]).map(({ id }) => id);

/** docs/contract.md "Agents", "Tasks": lists with `skip` and `limit`, and their filters. */
export function specifyLists(api: Api): void {
  async function countOf(path: string): Promise<number> {
    const { headers } = await api.get(path);
    expect(headers['x-total-count']).toMatch(/^\d+$/);
    return Number(headers['x-total-count']);
  }
  async function createTasks(count: number): Promise<{ id: string; records: Task[] }> {
    const { id } = await api.createAgent();
    const records: Task[] = [];
    for (let at = 0; at < count; at++) records.push(await api.createTask(id));
    return { id, records: inOrder(records) };
  }
  const lists: Record<string, (count: number) => Promise<List>> = {
    'GET /agents': async (count) => {
      const offset = await countOf('/agents?limit=1');
      const records: Agent[] = [];
      for (let at = 0; at < count; at++) records.push(await api.createAgent({ name: `Agent ${at}` }));
      return { path: '/agents?', offset, records: inOrder(records) };
    },
    'GET /agents/{agent_id}/tasks': async (count) => {
      const { id, records } = await createTasks(count);
      return { path: `/agents/${id}/tasks?`, offset: 0, records };
    },
    'GET /tasks': async (count) => {
      const { id, records } = await createTasks(count);
      return { path: `/tasks?agent_id=${id}&`, offset: 0, records };
    },
  };

  describe.each(Object.entries(lists))('%s', (_name, create) => {
    test('is an array, oldest first, with its total and links to all pages that keep other parameters', async () => {
      const { path, offset, records } = await create(5);
      const get = async (target: string) => {
        const response = await api.get(target);
        expect([response.status, response.headers['x-total-count']]).toEqual([200, String(offset + 5)]);
        return response;
      };
      const all = await get(`${path}skip=${offset}`);
      expectResponse(all, 200, records);
      expect(linksOf(all).next).toBeUndefined();
      const first = await get(`${path}skip=${offset}&limit=2&colour=red`);
      expect(first.json).toEqual(records.slice(0, 2));
      expect(linksOf(first).prev === undefined).toBe(offset === 0);
      expect(linksOf(first).next).toContain('colour=red');
      const second = await get(String(linksOf(first).next));
      expect(second.json).toEqual(records.slice(2, 4));
      expect((await get(String(linksOf(second).prev))).json).toEqual(first.json);
      const third = await get(String(linksOf(second).next));
      expect(third.json).toEqual(records.slice(4));
      expect(Object.keys(linksOf(third))).toEqual(['prev']);
    });

    test('has 100 records by default, at most 1000, and never more than the limit', async () => {
      const { path, offset } = await create(101);
      expect((await api.get(`${path}skip=${offset}`)).json).toHaveLength(100);
      expect((await api.get(`${path}skip=${offset}&limit=1`)).json).toHaveLength(1);
      expect((await api.get(`${path}skip=${offset}&limit=1000`)).json).toHaveLength(101);
    });

    test('after its end is empty, with the total and a previous but no next link', async () => {
      const { path } = await create(1);
      for (const skip of [100_000_000, Number.MAX_SAFE_INTEGER]) {
        const response = await api.get(`${path}skip=${skip}`);
        expectResponse(response, 200, []);
        expect(Number(response.headers['x-total-count'])).toBeGreaterThan(0);
        expect(Object.keys(linksOf(response))).toEqual(['prev']);
      }
    });

    test('responds to HEAD like GET without a body, and ignores empty filters and unknown parameters', async () => {
      const { path } = await create(1);
      const get = await api.get(`${path}limit=1`);
      const head = await api.call('HEAD', `${path}limit=1`);
      expect([head.status, head.text]).toEqual([200, '']);
      for (const name of ['content-type', 'content-length', 'x-total-count', 'link']) {
        expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
      }
      const other = await api.get(`${path}limit=1&status=&type=&limit[]=x&LIMIT=0&__proto__=1&constructor=2`);
      expectJson(other);
      expect([other.json, other.headers['x-total-count']]).toEqual([get.json, get.headers['x-total-count']]);
    });

    test('is newest first with order=desc, with the same total and links to all pages', async () => {
      const { path, offset, records } = await create(5);
      const newest = records.toReversed();
      const first = await api.get(`${path}order=desc&limit=2`);
      expectResponse(first, 200, newest.slice(0, 2));
      expect(first.headers['x-total-count']).toBe(String(offset + 5));
      expect(linksOf(first).next).toContain('order=desc');
      const second = await api.get(String(linksOf(first).next));
      expect(second.json).toEqual(newest.slice(2, 4));
      expect((await api.get(String(linksOf(second).prev))).json).toEqual(first.json);
      expect((await api.get(`${path}order=desc&skip=${offset + 5}`)).json).toEqual([]);
      expect((await api.get(`${path}order=asc&skip=${offset}`)).json).toEqual(records);
      for (const query of [
        'order=',
        'order=DESC',
        'order=-1',
        'order=desc,asc',
        'order=asc&order=asc',
        'order[]=asc',
      ]) {
        const response = await api.get(path + query);
        if (query.startsWith('order=')) expectInvalid(response, 'order');
        else expect(response.status).toBe(200);
      }
    });

    test('has after an id what follows it in the order, with the same total and links that continue', async () => {
      const { path, offset, records } = await create(5);
      const [first, , third] = inOrder(records as { id: string }[]).map(({ id }) => id);
      const page = await api.get(`${path}after=${first}&limit=2`);
      expectResponse(page, 200, records.slice(1, 3));
      expect([page.headers['x-total-count'], Object.keys(linksOf(page))]).toEqual([String(offset + 5), ['next']]);
      const rest = await api.get(String(linksOf(page).next));
      expect([rest.json, linksOf(rest)]).toEqual([records.slice(3), {}]);
      expect((await api.get(`${path}order=desc&after=${third}&limit=2`)).json).toEqual(
        records.slice(0, 2).toReversed(),
      );
      expect((await api.get(`${path}after=${third}&skip=1`)).json).toEqual(records.slice(4));
      expectInvalid(await api.get(`${path}after=${first}&skip=1001`), 'skip');
    });

    test('has only the fields that are asked for, and the id', async () => {
      const { path, offset, records } = await create(3);
      const first = records[0] as Record<string, unknown>;
      const pickFrom = (names: string[]) => (record: unknown) =>
        Object.fromEntries(Object.entries(record as object).filter(([name]) => names.includes(name)));
      for (const names of [
        ['status'],
        ['created_at', 'status'],
        ['id'],
        ['status', 'id', 'status'],
        Object.keys(first),
      ]) {
        const response = await api.get(`${path}skip=${offset}&limit=2&fields=${names}`);
        expectResponse(response, 200, records.slice(0, 2).map(pickFrom(['id', ...names])));
        expect(response.headers['x-total-count']).toBe(String(offset + 3));
        expect(linksOf(response).next).toContain('fields=');
        const rest = await api.get(String(linksOf(response).next));
        expect(rest.json).toEqual(records.slice(2).map(pickFrom(['id', ...names])));
      }
      const ofOthers = ['nope', 'status,nope', 'status,', ',', '', 'STATUS', 'status%20', '__proto__', 'toString', '*'];
      for (const text of [...ofOthers, 'x'.repeat(4_000), 'status&fields=status']) {
        expectInvalid(await api.get(`${path}fields=${text}`), 'fields');
      }
    });

    test('is empty for a status that no record has', async () => {
      const { path } = await create(1);
      const texts = [
        'nope',
        'IDLE',
        'PENDING',
        'idle%20',
        '%00',
        '%ff',
        '*',
        'a:b',
        '__proto__',
        '../x',
        'idle,active',
      ];
      for (const text of [...texts, 'x'.repeat(4_000)]) {
        const response = await api.get(`${path}status=${text}`);
        expectResponse(response, 200, []);
        expect(response.headers['x-total-count']).toBe('0');
      }
    });
  });

  test('every list is 400 for skip and limit that are repeated or not an integer within bounds', async () => {
    const { id } = await api.createAgent();
    const operations = operationsOf((await api.get('/openapi.json')).json as OpenApiDocument);
    const paged = operations.filter(({ doc }) => doc.parameters?.some(({ name }) => name === 'skip'));
    expect(paged.length).toBeGreaterThanOrEqual(9);
    for (const { name } of paged) {
      const path = name.replace('GET ', '').replace('{agent_id}', id);
      const get = (query: string) => api.call('GET', `${path}?${query}`, { as: 'token' });
      for (const text of ['', '-1', '1.5', '0x10', '%205', '%2B5', '1e2', '%D9%A5', '99999999999999999999']) {
        expectInvalid(await get(`skip=${text}&limit=${text}`), 'skip', 'limit');
      }
      for (const query of ['limit=0', 'limit=1001', 'limit=5&limit=5']) expectInvalid(await get(query), 'limit');
      expectInvalid(await get('skip=0&skip=0'), 'skip');
    }
  });

  test('agents also have paused_at if it is asked for, which is null while they are not paused', async () => {
    const { id } = await api.createAgent();
    const [agent] = (await api.get('/agents?order=desc&limit=1&fields=paused_at')).json as Agent[];
    expect(agent).toEqual({ id, paused_at: null });
    expect((await api.get('/agents?order=desc&limit=1')).json).toEqual([
      expect.not.objectContaining({ paused_at: null }),
    ]);
    expectInvalid(await api.get(`/agents/${id}/tasks?fields=paused_at`), 'fields');
  });

  test('a list that no single index has is paged by a cursor, and skips at most 1,000 entries', async () => {
    const { id, records } = await createTasks(5);
    const agent = `agent_id=${id}`;
    const held = await api.lease(id, { worker_id: 'cursor' });
    for (const path of [`/agents/${id}/tasks?`, `/tasks?${agent}&`]) {
      const pages = await pagesOf(api, `${path}status=running,pending&limit=2`);
      expect(pages.map(({ headers }) => headers['x-total-count'])).toEqual(['5', '5', '5']);
      expect(pages.flatMap(idsOf)).toEqual(records.map((task) => task.id));
      for (const page of pages.slice(0, -1)) expect(linksOf(page).next).toContain(`after=${idsOf(page).at(-1)}`);
      expect((await api.get(`${path}status=running,pending&skip=3`)).json).toHaveLength(2);
      expect((await api.get(`${path}status=pending&skip=1001`)).json).toEqual([]);
    }
    for (const path of [
      `/agents/${id}/tasks?status=running,pending`,
      `/tasks?${agent}&status=running,pending`,
      `/tasks?${agent}&worker_id=cursor`,
      '/agents?paused=false',
    ]) {
      expectResponse(await api.get(`${path}&skip=1000&limit=1000`), 200, expect.any(Array));
      const refused = await api.get(`${path}&skip=1001`);
      expectInvalid(refused, 'skip');
      expect(refused.text).toContain('after');
    }
    await api.report(held);
  });

  test('status and type filter agents and their total', async () => {
    await Promise.all(api.types.map((type) => api.createAgent({ type })));
    const total = await countOf('/agents?limit=1');
    expect(await countOf('/agents?status=idle&limit=1')).toBe(total);
    const ofTypes = await Promise.all(api.types.map((type) => api.get(`/agents?type=${type}&limit=1000`)));
    const counts = ofTypes.map(({ headers }) => Number(headers['x-total-count']));
    expect(counts.reduce((sum, count) => sum + count)).toBe(total);
    for (const [at, response] of ofTypes.entries()) {
      expect((response.json as Agent[]).every(({ type }) => type === api.types[at])).toBe(true);
      expect((await api.get(`/agents?status=idle&type=${api.types[at]}&limit=1000`)).json).toEqual(response.json);
    }
    for (const status of [`idle:type:${api.types[0]}`, 'status:idle']) {
      expectResponse(await api.get(`/agents?status=${status}`), 200, []);
    }
    expectResponse(await api.get('/agents?type=nope'), 200, []);
  });

  test('a replaced or deleted agent is listed by its new values at once', async () => {
    const agent = await api.createAgent({ type: api.types[0] });
    const count = () => Promise.all([0, 1].map((type) => countOf(`/agents?type=${api.types[type]}`)));
    const [first = 0, second = 0] = await count();
    await api.call('PUT', `/agents/${agent.id}`, { body: { name: 'Moved', type: api.types[1] } });
    expect(await count()).toEqual([first - 1, second + 1]);
    await api.call('DELETE', `/agents/${agent.id}`);
    expect(await count()).toEqual([first - 1, second]);
  });

  test('a page of large tasks ends early, and following next reaches all', async () => {
    const { id } = await api.createAgent();
    const input = 'x'.repeat(250 * 1024);
    const created: string[] = [];
    for (let at = 0; at < 40; at++) created.push((await api.createTask(id, { input })).id);
    for (const path of [`/agents/${id}/tasks`, `/tasks?agent_id=${id}&limit=1000`]) {
      const pages = await pagesOf(api, path);
      expect(pages.map(({ headers }) => headers['x-total-count'])).toEqual(['40', '40']);
      expect(pages.flatMap(idsOf)).toEqual(created);
    }
  });
}
