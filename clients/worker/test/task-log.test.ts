import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import { describe, expect, test } from '@jest/globals';
import { LOG, RESULT } from './support/fake-fleet.ts';
import { gate, useFleet } from './support/harness.ts';

const { fleet, work } = await useFleet();

test('sends entries while the handler runs, in batches of at most 100', async () => {
  const ends = gate();
  const task = fleet.add('a');
  work({
    handler: async (_task, { log }) => {
      for (let index = 0; index < 250; index++) log(`${index}`);
      await ends.promise;
      log('last');
    },
  });
  await until(() => fleet.logOf(task).length === 250, { message: () => `${fleet.logOf(task).length} entries` });
  ends.open();
  await fleet.reportOf(task);
  expect(fleet.logOf(task).map(({ text }) => text)).toEqual([...Array(250).keys(), 'last'].map(String));
  const sizes = fleet.all(LOG).map(({ body }) => (body.entries as unknown[]).length);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(100);
  expect(sizes.length).toBeLessThan(10);
});

test('splits a long text into entries of 16 KiB, in whole characters', async () => {
  const task = fleet.add('a');
  const text = `a${'é€😀'.repeat(4_000)}\ud800`;
  work({ handler: (_task, { log }) => log(text) });
  await fleet.reportOf(task);
  const texts = fleet.logOf(task).map((entry) => entry.text ?? '');
  expect(texts.join('')).toBe(text.toWellFormed());
  expect(Math.max(...texts.map((part) => Buffer.byteLength(part)))).toBeLessThanOrEqual(16_384);
});

describe('while the fleet does not take entries', () => {
  test('they wait, and are sent afterwards', async () => {
    fleet.fail(LOG, { status: 503 }, 3);
    const ends = gate();
    const task = fleet.add('a');
    work({
      handler: async (_task, { log }) => {
        log('one');
        await ends.promise;
      },
    });
    await until(() => fleet.logOf(task).length === 1);
    ends.open();
    await expect(fleet.reportOf(task)).resolves.toMatchObject({ status: 'completed' });
  });

  test('the oldest are dropped, and a note says so', async () => {
    fleet.fail(LOG, { status: 503 }, 1);
    const task = fleet.add('a');
    work({
      handler: async (_task, { log }) => {
        for (let index = 0; index < 5_000; index++) log(`${index}`);
        await until(() => fleet.logOf(task).length > 2_000);
      },
    });
    await fleet.reportOf(task);
    const [note, ...entries] = fleet.logOf(task);
    expect(note).toMatchObject({
      level: 'warn',
      stream: 'system',
      text: expect.stringMatching(/^3000 earlier entries/),
    });
    expect(entries.map(({ text }) => text)).toEqual(Array.from({ length: 2_000 }, (_, index) => `${index + 3_000}`));
  });

  test('they do not delay the result for more than 2 s', async () => {
    fleet.fail(LOG, 'silence', Number.POSITIVE_INFINITY);
    const task = fleet.add('a');
    work({ handler: (_task, { log }) => log('one') });
    const [entries] = await fleet.untilRequested(LOG);
    await expect(fleet.reportOf(task)).resolves.toMatchObject({ status: 'completed' });
    const [result] = fleet.all(RESULT);
    expect(Number(result?.atMs) - Number(entries?.atMs)).toBeLessThan(4_000);
  });
});

test('sends none after a lost lease', async () => {
  const task = fleet.add('a');
  const ends = gate();
  work({
    handler: async ({ message }, { log }) => {
      if (message !== 'a') return;
      fleet.revoke(task);
      log('one');
      await fleet.untilRequested(LOG);
      await sleep(300);
      log('two');
      await sleep(300);
      ends.open();
    },
  });
  await ends.promise;
  await expect(fleet.reportOf(fleet.add('b'))).resolves.toMatchObject({ status: 'completed' });
  expect(fleet.count(LOG)).toBe(1);
});

test('goes on after refused entries, and logs the refusal', async () => {
  fleet.fail(LOG, { status: 400, body: { error: 'validation_error', message: 'no' } });
  const task = fleet.add('a');
  const { lines } = work({
    handler: async (_task, { log }) => {
      log('one');
      await fleet.untilRequested(LOG);
      await sleep(50);
      log('two');
    },
  });
  await expect(fleet.reportOf(task)).resolves.toMatchObject({ status: 'completed' });
  expect(fleet.logOf(task).map(({ text }) => text)).toEqual(['A log entry was refused: 400: no', 'two']);
  expect(lines).toContainEqual(expect.stringContaining('a log entry was refused: 400: no'));
});

test('a refused entry takes no other with it, and leaves one that says so', async () => {
  const isBad = (index: number) => [0, 41, 42, 149].includes(index);
  fleet.refuse(LOG, ({ entries }) => (entries as { text: string }[]).some(({ text }) => text.startsWith('bad')));
  const task = fleet.add('a');
  work({
    handler: async (_task, { log }) => {
      for (let index = 0; index < 150; index++) log(`${isBad(index) ? 'bad' : 'good'} ${index}`);
      await until(() => fleet.logOf(task).length >= 150);
    },
  });
  await fleet.reportOf(task);
  expect(fleet.logOf(task).map(({ text }) => text)).toEqual(
    Array.from({ length: 150 }, (_, index) => (isBad(index) ? 'A log entry was refused: 400: no' : `good ${index}`)),
  );
  expect(fleet.count(LOG)).toBeLessThan(60);
});

test('a level of other loggers becomes the nearest one, and an unknown stream none', async () => {
  const levels = ['TRACE', 'verbose', 'Information', 'success', 'WARNING', 'alert', 'emerg', 'Fatal', 'dbg?', 42, null];
  const task = fleet.add('a');
  work({
    handler: (_task, { log }) => {
      for (const level of levels) log('x', { level: level as never, stream: 'console' as never });
    },
  });
  await fleet.reportOf(task);
  const found = fleet.logOf(task).map(({ level, stream }) => `${level} ${stream}`);
  const nearest = ['debug', 'debug', 'info', 'info', 'warn', 'error', 'error', 'error', 'info', 'info', 'info'];
  expect(found).toEqual(nearest.map((level) => `${level} undefined`));
});
