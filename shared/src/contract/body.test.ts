import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import request from 'supertest';
import { z } from 'zod';
import { createHttpApp, finishApp } from '../http/app.ts';
import { createLogger } from '../logger.ts';
import { bind, defineOperation, json } from './operation.ts';
import { createRouter } from './router.ts';

const echo = defineOperation({
  id: 'echo',
  method: 'post',
  path: '/echo',
  tag: 'Test',
  summary: '',
  security: 'public',
  body: { schema: z.strictObject({ text: z.string() }), example: { text: 'a' } },
  responses: {},
});

const app = createHttpApp();
app.use(createRouter([bind(echo, ({ body }) => json(body))]));
finishApp(app, createLogger('test', 'silent'));

/** Sends `body` unchanged, with any headers. */
function post(body: Buffer, headers: Record<string, string> = {}) {
  const sent = request(app)
    .post('/echo')
    .set({ 'content-type': 'application/json', ...headers });
  return sent.serialize(() => body as unknown as string).send(body);
}

const BODY = Buffer.from('{"text":"é"}');

test('a compressed body is read', async () => {
  const { status, body } = await post(gzipSync(BODY), { 'content-encoding': 'gzip' });
  expect([status, body]).toEqual([200, { text: 'é' }]);
});

test.each([
  ['gzip', BODY],
  ['gzip', gzipSync(BODY).subarray(0, -9)],
  ['deflate', BODY],
  ['br', BODY],
])('a body that is not complete %s, as its headers declare, is refused with 400', async (coding, body) => {
  const answer = await post(body, { 'content-encoding': coding });
  expect([answer.status, answer.body.error]).toEqual([400, 'validation_error']);
});

test.each([
  ['in UTF-16', { 'content-type': 'application/json; charset=utf-16' }, Buffer.from('{"text":"a"}', 'utf16le'), 415],
  ['whose charset is UTF-7', { 'content-type': 'application/json; charset=utf-7' }, BODY, 415],
  ['that is nested deeper than 200 levels', {}, Buffer.from('['.repeat(201) + ']'.repeat(201)), 400],
])('a body %s is refused', async (_what, headers, body, status) => {
  expect((await post(body, headers)).status).toBe(status);
});
