import { expect, test } from '@jest/globals';
import { failureLines } from './failure-lines.ts';

test('the lines of a wrong configuration are shown as they are', () => {
  expect(failureLines('PORT: must be a number\nJWT_SECRET: is required\n')).toEqual([
    'PORT: must be a number',
    'JWT_SECRET: is required',
  ]);
});

test('log records and the stack of an error are left out', () => {
  const printed = '{"level":"info","msg":"starting"}\nError: listen EADDRINUSE\n    at Server.listen (node:net:1)\n';
  expect(failureLines(printed)).toEqual(['Error: listen EADDRINUSE']);
});

test('where there are only log records, the last one speaks', () => {
  expect(failureLines('{"msg":"starting"}\n{"msg":"failed","err":{"message":"no room"}}\n')).toEqual([
    'failed: no room',
  ]);
  expect(failureLines('{"msg": torn')).toEqual(['{"msg": torn']);
});

test('a process that printed nothing has no lines', () => {
  expect(failureLines('\n')).toEqual([]);
});
