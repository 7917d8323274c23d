import { expect, test } from '@jest/globals';
import { failureLines } from './failure-lines.ts';

test('omits log records and the stack of an error', () => {
  const printed = '{"level":"info","msg":"starting"}\nError: listen EADDRINUSE\n    at Server.listen (node:net:1)\n';
  expect(failureLines(printed)).toEqual(['Error: listen EADDRINUSE']);
});

test('shows the message of the last log record if there is nothing else', () => {
  expect(failureLines('{"msg":"starting"}\n{"msg":"failed","err":{"message":"no room"}}\n')).toEqual([
    'failed: no room',
  ]);
  expect(failureLines('{"msg": torn')).toEqual(['{"msg": torn']);
});

test('shows no lines of a process that printed nothing', () => {
  expect(failureLines('\n')).toEqual([]);
});
