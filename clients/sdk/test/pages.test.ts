import { expect, test } from '@jest/globals';
import { createFleet } from '../src/index.ts';
import { useServer } from './support/test-server.ts';

const { url, received, answer, answerAll } = await useServer();
const fleet = createFleet({ url, apiKey: 'key' });
const linked = (target: string) => ({ link: `<http://other/base/tasks?first>; rel="prev", <${target}>; rel="next"` });

test('reads all records of a list, page by page, by the query of `next` alone', async () => {
  answer(
    { json: [1, 2], headers: linked('http://other/base/tasks?skip=2&limit=2&status=a&tag=x%26y') },
    { status: 503 },
    { json: [], headers: linked('/tasks?skip=4&limit=2') },
    { json: [3] },
  );
  const records: unknown[] = [];
  for await (const record of fleet.paginate('/tasks', { params: { query: { limit: 2 } } })) records.push(record);
  expect(records).toEqual([1, 2, 3]);
  expect(received.map((request) => request.url)).toEqual([
    '/tasks?limit=2',
    '/tasks?skip=2&limit=2&status=a&tag=x%26y',
    '/tasks?skip=2&limit=2&status=a&tag=x%26y',
    '/tasks?skip=4&limit=2',
  ]);
});

test('reads no further page than the caller needs', async () => {
  answerAll({ json: [1], headers: linked('/tasks?skip=1') });
  for await (const _record of fleet.paginate('/tasks')) break;
  expect(received).toHaveLength(1);
});

test('does not follow a page that is its own next', async () => {
  answerAll({ json: [1], headers: linked('/tasks?skip=1') });
  const all = async () => {
    for await (const _record of fleet.paginate('/tasks'));
  };
  await expect(all()).rejects.toThrow('links to itself');
  expect(received).toHaveLength(2);
});

test('a refused page is an error', async () => {
  answer({ json: [1], headers: linked('/tasks?skip=1') }, { status: 403, json: { detail: 'no' } });
  const records: unknown[] = [];
  const all = async () => {
    for await (const record of fleet.paginate('/tasks')) records.push(record);
  };
  await expect(all()).rejects.toMatchObject({ status: 403 });
  expect(records).toEqual([1]);
});
