import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { collectBody } from './request-body.ts';

test('collects a body that has arrived in several parts', () => {
  const req = new IncomingMessage(new Socket());
  for (const part of ['ab', 'cd', 'ef']) req.push(part);
  req.push(null);
  req.complete = true;
  let collected = '';
  collectBody(req, (body) => {
    collected = String(body);
  });
  expect(collected).toBe('abcdef');
});
