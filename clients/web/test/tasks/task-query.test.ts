import { expect, test } from '@jest/globals';
import { toBulkFilter } from '../../src/pages/tasks/bulk/bulk-verbs.ts';
import { hoursAgo, searchedText } from '../../src/pages/tasks/filter-values.ts';
import { isSearch, tasksRequests, toTaskFilter, toTaskQuery } from '../../src/requests/tasks.ts';

const ID = '01a2143b-1535-7a29-97ec-af115f1bfba5';
const address = (text: string) => new URLSearchParams(text);

test('a page without parameters has the newest tasks first', () => {
  expect(toTaskQuery(address(''))).toMatchObject({ order: 'desc', skip: 0, limit: 25 });
});

test('filters of the address have the names of the API, and empty ones are left out', () => {
  const query = toTaskQuery(address('status=failed,cancelled&type=claude&tag=&worker_id=w&unknown=1'));
  expect(query).toMatchObject({ status: 'failed,cancelled', type: 'claude', worker_id: 'w' });
  expect(Object.keys(query)).not.toContain('tag');
  expect(Object.keys(query)).not.toContain('unknown');
});

test('inputs and results are not requested, nor what has no place in a row', () => {
  const fields = toTaskQuery(address('')).fields.split(',');
  for (const name of ['input', 'result', 'metadata']) expect(fields).not.toContain(name);
});

test('the first request is the one that the page makes', () => {
  const [path = ''] = tasksRequests(address('tag=a%26b&skip=50'));
  const { searchParams } = new URL(path, 'http://fleet');
  const query = toTaskQuery(address('tag=a%26b&skip=50'));
  expect(Object.fromEntries(searchParams)).toEqual(
    Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
  );
});

test('a bulk action takes the filter of the page, or else the statuses that it can change', () => {
  expect(toBulkFilter('retry', toTaskFilter(address('tag=x&skip=50&order=asc')))).toEqual({ tag: 'x' });
  expect(toBulkFilter('cancel', {})).toEqual({ status: ['pending', 'running', 'input_required'] });
  expect(toBulkFilter('delete', {})).toEqual({ status: ['completed', 'failed', 'cancelled'] });
});

test('a search that goes on says how far it has looked', () => {
  const at = new Date(Number.parseInt(ID.replace('-', '').slice(0, 12), 16));
  const time = `${at.getHours()}`.padStart(2, '0');
  expect(searchedText(12, { after: ID }, 'desc')).toMatch(new RegExp(`^12 tasks found since \\S+ ${time}:\\d\\d$`));
  expect(searchedText(1, undefined, 'desc')).toBe('1 task');
});

test('what no index has is asked for in the terms of the API, and makes a search', () => {
  const query = toTaskQuery(address(`q=${'x'.repeat(300)}&min_duration_seconds=90&created_by=a@b.c&tag=t`));
  expect(query).toMatchObject({ q: 'x'.repeat(200), min_duration_seconds: '90', created_by: 'a@b.c', tag: 't' });
  expect([isSearch(query), isSearch(toTaskFilter(address('tag=t&worker_id=w')))]).toEqual([true, false]);
});

test('a time that is some hours ago is a whole minute', () => {
  expect(hoursAgo(24, Date.parse('2026-11-25T10:20:30.400Z'))).toBe('2026-11-24T10:20:00.000Z');
});
