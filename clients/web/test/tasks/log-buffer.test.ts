import type { LogEntry } from '@agent-fleet/sdk';
import { expect, test } from '@jest/globals';
import { createLogBuffer } from '../../src/pages/task/log/log-buffer.ts';

const entry = (id: number, text = `line ${id}`, level: LogEntry['level'] = 'info'): LogEntry => ({
  id,
  at: '2026-11-25T10:00:00.000Z',
  level,
  stream: null,
  type: 'log',
  text,
  data: null,
});
const entries = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => entry(from + at));
const filled = (count: number) => {
  const buffer = createLogBuffer();
  buffer.add(entries(1, count));
  return buffer;
};
const range = (buffer: ReturnType<typeof createLogBuffer>, size: number, endId?: number) => {
  const { entries: shown, before, after } = buffer.window(size, endId);
  return [shown[0]?.id, shown.at(-1)?.id, before, after];
};

test('the window has the newest entries', () => {
  expect(range(filled(1_000), 500)).toEqual([501, 1_000, 500, 0]);
  expect(range(filled(3), 500)).toEqual([1, 3, 0, 0]);
});

test('a window that is held stays while entries come', () => {
  const buffer = filled(1_000);
  buffer.add(entries(1_001, 1_100));
  expect(range(buffer, 500, 1_000)).toEqual([501, 1_000, 500, 100]);
  expect(range(buffer, 1_100, 1_000)).toEqual([1, 1_000, 0, 100]);
});

test('only the newest 10,000 entries are kept, and a held window that was dropped begins with the first', () => {
  const buffer = filled(1_000);
  for (let from = 1_001; from <= 30_000; from += 1_000) buffer.add(entries(from, from + 999));
  expect(buffer.size).toBe(10_000);
  expect(range(buffer, 500, 900)).toEqual([20_001, 20_500, 0, 9_500]);
});

test('large entries are dropped by their size', () => {
  const buffer = createLogBuffer();
  const text = 'x'.repeat(16_384);
  for (let id = 1; id <= 1_000; id += 1) buffer.add([entry(id, text)]);
  expect(buffer.size).toBe(384);
  expect(range(buffer, 1)[1]).toBe(1_000);
});

test('a filter finds texts, levels and data, in what is there and in what comes', () => {
  const buffer = createLogBuffer();
  const call = { ...entry(3, ''), type: 'tool_call', data: { name: 'Read' } } as const;
  buffer.add([entry(1, 'Reading'), entry(2, 'other', 'error'), call]);
  buffer.setFilter({ text: 'read' });
  expect(range(buffer, 500)).toEqual([1, 3, 0, 0]);
  buffer.add([entry(4, 'READ'), entry(5, 'other')]);
  expect(range(buffer, 500)).toEqual([1, 4, 0, 0]);
  buffer.setFilter({ text: 'error' });
  expect(range(buffer, 500)).toEqual([2, 2, 0, 0]);
  buffer.setFilter({ text: '' });
  expect(range(buffer, 500)).toEqual([1, 5, 0, 0]);
});

test('an id that comes again replaces the entries from it on', () => {
  const buffer = filled(5);
  buffer.add([entry(4, 'again')]);
  expect(range(buffer, 500)).toEqual([1, 4, 0, 0]);
  expect(buffer.window(1).entries[0]?.text).toBe('again');
});
