import { appendFileSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ownFolder } from '../testing/own-folder.ts';
import { boundLog, openBoundedLog } from './bounded-log.ts';

const dir = ownFolder();

test('a log that is too large is renamed when it is opened', () => {
  const file = join(dir, 'opened.log');
  appendFileSync(file, 'yesterday');
  const log = openBoundedLog(file, 5);
  writeSync(log.fd, 'today');
  log.unwatch();
  expect(readFileSync(`${file}.1`, 'utf8')).toBe('yesterday');
  expect(readFileSync(file, 'utf8')).toBe('today');
});

test('a log is bounded while others append to it', async () => {
  const file = join(dir, 'growing.log');
  const log = openBoundedLog(file, 5);
  writeSync(log.fd, 'long ago');
  await boundLog(file, 5);
  writeSync(log.fd, 'now');
  log.unwatch();
  expect(readFileSync(`${file}.1`, 'utf8')).toBe('long ago');
  expect(readFileSync(file, 'utf8')).toBe('now');
});

test('a log within its limit is kept', async () => {
  const file = join(dir, 'small.log');
  appendFileSync(file, 'few');
  await boundLog(file, 5);
  expect(readFileSync(file, 'utf8')).toBe('few');
});
