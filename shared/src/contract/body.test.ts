import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import request from 'supertest';
import { z } from 'zod';
import { createHttpApp, finishApp } from '../http/app.ts';
import type { HttpError } from '../http/errors.ts';
import type { RunningServer } from '../http/serve.ts';
import type { Logger } from '../logger.ts';
import { listen } from '../testing/listen.ts';
import { until } from '../testing/until.ts';
import { orNull } from './fields.ts';
import { parseInput } from './input.ts';
import { type BodyDoc, bind, defineOperation, json } from './operation.ts';
import { createRouter } from './router.ts';

const MAX_BYTES = 100_000;
const handled: unknown[] = [];
/** The `body` of the last request that was handled. */
let requestBody: unknown;
const failed: unknown[] = [];
const logged: string[] = [];

function echo(path: string, body: Omit<BodyDoc, 'example'>) {
  const operation = {
    id: path,
    method: 'post',
    path,
    tag: '',
    summary: '',
    security: 'public',
    responses: {},
  } as const;
  return bind(defineOperation({ ...operation, body: { ...body, example: {} } }), ({ body, req }) => {
    handled.push(body);
    requestBody = req.body;
    return json(body);
  });
}

const app = createHttpApp();
app.use(
  createRouter([
    echo('/echo', { schema: z.strictObject({ text: z.string() }), maxBytes: MAX_BYTES }),
    echo('/any', { schema: z.unknown(), maxBytes: MAX_BYTES }),
    echo('/optional', { schema: z.object({ text: z.string().default('none') }), optional: true }),
    echo('/form', { schema: z.looseObject({}), contentType: 'application/x-www-form-urlencoded', maxBytes: MAX_BYTES }),
  ]),
);
app.use((error: unknown, _req: unknown, _res: unknown, next: (error: unknown) => void) => {
  failed.push(error);
  next(error);
});
const log = (_fields: object, message: string) => void logged.push(message);
finishApp(app, { warn: log, error: log } as unknown as Logger);

let running: RunningServer;
beforeAll(async () => {
  running = await listen(app);
});
afterAll(() => running.close());

/** Sends `body` unchanged, with any headers. */
function post(body: Buffer | string, headers: Record<string, string> = {}, path = '/echo') {
  const sent = request(running.server)
    .post(path)
    .set({ 'content-type': 'application/json', ...headers });
  return sent.serialize(() => body as string).send(body as string);
}

/** Opens a connection, and sends the head of a request and the begin of its body. */
function begin(headers: string, body: string | Buffer, path = '/any'): Socket & { received: string } {
  const socket = Object.assign(connect(running.port, '127.0.0.1'), { received: '' });
  socket.on('data', (chunk) => {
    socket.received += chunk;
  });
  socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${headers}\r\n\r\n`);
  socket.write(body);
  return socket;
}

const BODY = Buffer.from('{"text":"é"}');

test.each([
  ['whose charset is UTF-7', { 'content-type': 'application/json; charset=utf-7' }, BODY, 415],
  ['whose charset is UTF-80', { 'content-type': 'application/json; charset=utf80' }, BODY, 415],
  ['in two encodings', { 'content-encoding': 'gzip, br' }, BODY, 415],
  ['that is nested deeper than 200 levels', {}, Buffer.from('['.repeat(201) + ']'.repeat(201)), 400],
  ['that is nested deeper than 200 levels, in objects', {}, `${'{"a":'.repeat(201)}1${'}'.repeat(201)}`, 400],
  ['with a number above the largest', {}, '{"text":[1,{"a":-1e309}]}', 400],
  ['that ends within a character', {}, BODY.subarray(0, 10), 400],
])('a body %s is refused', async (_what, headers: Record<string, string>, body, status) => {
  handled.length = 0;
  expect((await post(body, headers, '/any')).status).toBe(status);
  expect(handled).toEqual([]);
});

test.each([
  ['with a byte order mark', {}, Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), BODY])],
  ['whose charset has no hyphen', { 'content-type': 'application/json; charset=UTF8' }, BODY],
  ['that says it is not compressed', { 'content-encoding': 'identity' }, BODY],
  ['in which a key is repeated: the last one counts', {}, '{"text":"a","text":"é"}'],
])('a body %s is read', async (_what, headers: Record<string, string>, sent) => {
  const { status, body } = await post(sent, headers);
  expect([status, body]).toEqual([200, { text: 'é' }]);
});

const PLACES: [what: string, body: Buffer | string, message: string][] = [
  ['with a word that is none', '{\r\n  "\ufffd": tru\r\n}', 'not valid JSON at line 2, column 8'],
  ['with a trailing comma', '[\n1,\n]', 'not valid JSON at line 3, column 1'],
  ['with a comma in place of a value', '{"a":,}', 'not valid JSON at line 1, column 6'],
  ['with a name that is no text', '{"a":1,2:3}', 'not valid JSON at line 1, column 8'],
  ['without a colon', '{"a"\n1}', 'not valid JSON at line 2, column 1'],
  ['with a bad escape', '["ab\\x"]', 'not valid JSON at line 1, column 5'],
  ['with a line break in a text', '{"a":"b\n"}', 'not valid JSON at line 1, column 8'],
  ['with a number that begins with 0', '[-1.5e+3,\n 012]', 'not valid JSON at line 2, column 3'],
  ['that ends in a list', '{"a":[{},[1', 'not valid JSON at line 1, column 12'],
  ['that ends in a text', `["${'x'.repeat(90_000)}`, 'not valid JSON at line 1, column 90003'],
  ['closed by another bracket', '{"a":[1}]', 'not valid JSON at line 1, column 8'],
  ['with more behind it', 'null\n\nnull', 'not valid JSON at line 3, column 1'],
  ['that is broken at a depth of 40,000', `${'['.repeat(40_000)}}`, 'not valid JSON at line 1, column 40001'],
  ['in Latin-1', Buffer.from('{"a":"x",\n"b":"gr\xfc\xdfe"}', 'latin1'), 'not UTF-8 at line 2, column 8'],
  [
    'with U+FFFD before the bad bytes',
    Buffer.from('"\xef\xbf\xbd\xc3\xa9\xff"', 'latin1'),
    'not UTF-8 at line 1, column 4',
  ],
  ['in UTF-16', Buffer.from('\ufeff{}', 'utf16le'), 'not UTF-8 at line 1, column 1: it looks like UTF-16'],
  ['that ends within a character', Buffer.from('"\xf0\x9f\x98', 'latin1'), 'not UTF-8 at line 1, column 2'],
];

test.each(PLACES)('the error of a body %s says where', async (_what, sent, message) => {
  const { status, body } = await post(sent, {}, '/any');
  expect([status, body.details.fields[0].message]).toEqual([400, `The body is ${message}`]);
});

test.each([
  { headers: { 'content-type': 'application/json' } },
  { headers: { 'content-type': 'application/json; charset="utf-8"' } },
])('keeps the value as it was sent on the request, for $headers', async ({ headers }) => {
  await request(app).post('/optional').set(headers).send('{"other":1}').expect(200, { text: 'none' });
  expect(requestBody).toEqual({ other: 1 });
});

test('a body may be any JSON value, up to the limits of size and depth', async () => {
  const deepest = '['.repeat(200) + ']'.repeat(200);
  const largest = `"${'x'.repeat(MAX_BYTES - 2)}"`;
  for (const sent of ['1e308', 'null', 'true', '"a"', '[]', '{"__proto__":{"a":1}}', deepest, largest]) {
    const { status, text } = await post(sent, {}, '/any');
    expect([status, isDeepStrictEqual(JSON.parse(text), JSON.parse(sent))]).toEqual([200, true]);
  }
});

test('__proto__ is a field like any other', async () => {
  const { status, body } = await post('{"text":"a","__proto__":{"text":"b"}}');
  expect([status, body.details.fields]).toEqual([
    400,
    [{ path: '__proto__', code: 'unknown_field', message: 'is not a known field' }],
  ]);
});

test('an optional body may be missing, also with a media type', async () => {
  for (const headers of [undefined, { 'content-type': 'text/plain' }]) {
    const { status, body } = await post('', headers, '/optional');
    expect([status, body]).toEqual([200, { text: 'none' }]);
  }
  expect((await post('{"text":"a"}', { 'content-type': 'text/plain' }, '/optional')).status).toBe(415);
});

test('a form is read in UTF-8, with limits of its fields and its size', async () => {
  const read = await post('a=%C3%A9+b&c=1&c=2', { 'content-type': 'application/x-www-form-urlencoded' }, '/form');
  expect(read.body).toEqual({ a: 'é b', c: ['1', '2'] });
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  expect((await post('a=1&'.repeat(101), type, '/form')).status).toBe(400);
  expect((await post(`a=${'x'.repeat(MAX_BYTES)}`, type, '/form')).status).toBe(413);
});

test('a body may arrive in pieces that split a character, and the connection stays open', async () => {
  const socket = begin('Transfer-Encoding: chunked', '');
  for (const piece of [BODY.subarray(0, 10), BODY.subarray(10)]) {
    socket.write(`${piece.length.toString(16)}\r\n`);
    socket.write(Buffer.concat([piece, Buffer.from('\r\n')]));
    await setTimeout(20);
  }
  socket.write('0\r\n\r\n');
  await until(() => socket.received.endsWith('{"text":"é"}'));
  socket.write('POST /any HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n7');
  expect(await until(() => socket.received.endsWith('\r\n\r\n7'))).toBe(true);
  socket.destroy();
});

test('bodies of pipelined requests are read in their order', async () => {
  const head = (length: number) => `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
  const next = (path: string, body: string) => `POST ${path} HTTP/1.1\r\nHost: a\r\n${head(body.length)}${body}`;
  const socket = begin('Content-Length: 1', `1${next('/any', '[2]')}${next('/echo', '{}')}${next('/any', '"4"')}`);
  await until(() => socket.received.endsWith('\r\n\r\n"4"'));
  expect(socket.received.match(/HTTP\/1.1 \d+/g)?.map((line) => line.slice(-3))).toEqual(['200', '200', '400', '200']);
  socket.destroy();
});

test('a body without an end is refused as soon as it is too large', async () => {
  const socket = begin('Transfer-Encoding: chunked', '');
  const chunk = `${(50_000).toString(16)}\r\n${' '.repeat(50_000)}\r\n`;
  socket.write(chunk.repeat(3));
  await once(socket, 'end');
  expect(socket.received).toMatch(/^HTTP\/1.1 413 .*"payload_too_large"/s);
  socket.destroy();
});

test('a declared length above the limit is refused before the body arrives', async () => {
  const socket = begin(`Content-Length: ${MAX_BYTES + 1}`, '[');
  await once(socket, 'end');
  expect(socket.received).toMatch(/^HTTP\/1.1 413 .*"payload_too_large"/s);
  socket.destroy();
});

test('a chunked body without bytes is an empty object', async () => {
  const socket = begin('Transfer-Encoding: chunked', '0\r\n\r\n');
  expect(await until(() => socket.received.endsWith('\r\n\r\n{}'))).toBe(true);
  socket.destroy();
});

test('a client that disconnects within its body gets no response, and nothing is handled', async () => {
  handled.length = 0;
  failed.length = 0;
  const socket = begin('Content-Length: 100', '{"text":');
  await once(running.server, 'request');
  await setImmediate();
  socket.destroy();
  await until(() => failed.length > 0);
  expect([handled, logged]).toEqual([[], []]);
});

const pinned = z.strictObject({ id: z.string(), digest: z.string().min(3) });
const unions = z.strictObject({
  pin: orNull(pinned).optional(),
  skills: z.array(z.union([z.string().min(2, 'too short'), pinned], 'must be a text or an object')).optional(),
});

function pathsOf(value: unknown): string[] {
  try {
    parseInput(unions, value);
    return [];
  } catch (error) {
    const { details } = (error as HttpError).body as { details: { fields: { path: string; message: string }[] } };
    return details.fields.map(({ path, message }) => `${path} ${message}`);
  }
}

test('names what is wrong with the option of a union that has the type of the value', () => {
  expect(pathsOf({ skills: ['ab', { id: 'x', digest: 'abc' }] })).toEqual([]);
  expect(pathsOf({ skills: ['a'] })).toEqual(['skills.0 too short']);
  expect(pathsOf({ skills: [{ id: 5, colour: 'red' }] })).toEqual([
    'skills.0.id Invalid input: expected string, received number',
    'skills.0.digest is required',
    'skills.0.colour is not a known field',
  ]);
});

test('names a value that has the type of no option', () => {
  expect(pathsOf({ skills: [5, null, []] })).toEqual([0, 1, 2].map((at) => `skills.${at} must be a text or an object`));
});

test('names what is wrong with a value that may be null', () => {
  expect(pathsOf({ pin: null })).toEqual([]);
  expect(pathsOf({ pin: 5 })).toEqual(['pin must be an object']);
  expect(pathsOf({ pin: { id: 'x' } })).toEqual(['pin.digest is required']);
});
