import { expect, test } from '@jest/globals';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import express from 'express';
import request from 'supertest';
import { inOrder } from './app.ts';

const answerMessage: ErrorRequestHandler = (error: Error, _req, res, _next) => {
  res.status(500).send(error.message);
};

function send(...handlers: RequestHandler[]) {
  const app = express();
  app.use(inOrder(...handlers));
  app.use((_req, res) => void res.send('after them'));
  app.use(answerMessage);
  return request(app).get('/');
}

const pass: RequestHandler = (_req, _res, next) => next();
const passLater: RequestHandler = async (_req, _res, next) => {
  await Promise.resolve();
  next();
};
const fail: RequestHandler = () => {
  throw new Error('thrown');
};

test('handlers run in order, then the handlers after them', async () => {
  const seen: number[] = [];
  const see =
    (id: number): RequestHandler =>
    (_req, _res, next) => {
      seen.push(id);
      next();
    };
  const response = await send(see(1), passLater, see(2), see(3));
  expect(response.text).toBe('after them');
  expect(seen).toEqual([1, 2, 3]);
});

test('a handler that responds is the last', async () => {
  const response = await send(pass, (_req, res) => void res.send('answered'), fail);
  expect(response.text).toBe('answered');
});

test.each<[string, RequestHandler]>([
  ['thrown', fail],
  ['rejected', () => Promise.reject(new Error('rejected'))],
  ['passed on', (_req, _res, next) => next(new Error('passed on'))],
])('an error that is %s skips the remaining handlers, also behind an asynchronous one', async (message, handler) => {
  for (const before of [pass, passLater]) {
    const response = await send(before, handler, pass);
    expect([response.status, response.text]).toEqual([500, message]);
  }
});
