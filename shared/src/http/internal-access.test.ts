import type { IncomingMessage } from 'node:http';
import { expect, test } from '@jest/globals';
import { assert, constantFrom, oneof, property, string } from 'fast-check';
import { unicodeText } from '../testing/unicode-text.ts';
import { readCaller, toHeaderText, toTokenCheck } from './internal-access.ts';

const read = (headers: Record<string, string>) => readCaller({ headers } as unknown as IncomingMessage);

const HOSTILE = [
  ...[
    '',
    '%',
    '%41',
    '%zz',
    '100 %',
    'a b',
    '\n',
    '\r\nx-fleet-scopes: users:admin',
    '\0',
    '\x7f',
    'é',
    '😀',
    'a\u0301',
  ],
  ...['\ud800', 'user:admin', 'a,b', '"', '\\', '\u2028', 'x'.repeat(10_000)],
];

test('any name is carried in a header of visible ASCII, and read again', () => {
  assert(
    property(oneof(constantFrom(...HOSTILE), unicodeText(), string({ unit: 'grapheme' })), (name) => {
      const text = toHeaderText(name);
      expect(text).toMatch(/^[\x21-\x7e]*$/);
      const headers = { 'x-fleet-principal': 'key:7', 'x-fleet-actor-name': text, 'x-fleet-actor-id': text };
      const expected = name.toWellFormed();
      expect(read(headers)).toMatchObject({ id: expected, name: expected });
    }),
    { numRuns: 500 },
  );
});

test('different names stay different, so that a principal is unique', () => {
  const names = ['a%20b', 'a b', 'a%2520b', 'a%b', 'a%25b'];
  expect(new Set(names.map(toHeaderText)).size).toBe(names.length);
});

test('reads the whole caller', () => {
  const headers = {
    'x-fleet-principal': 'user:a@b.example',
    'x-fleet-scopes': 'agents:read tasks:read',
    'x-fleet-agents': ['one', 'two 2'].map(toHeaderText).join(','),
    'x-fleet-actor-id': '7',
    'x-fleet-actor-name': 'a@b.example',
    'x-fleet-session': toHeaderText('a session'),
  };
  expect(read(headers)).toEqual({
    type: 'user',
    principal: 'user:a@b.example',
    id: '7',
    name: 'a@b.example',
    scopes: ['agents:read', 'tasks:read'],
    agentIds: new Set(['one', 'two 2']),
    sessionId: 'a session',
  });
});

test.each([
  ['user:a@b.example', 'user'],
  ['key:ci', 'key'],
  ['oidc:corp:auth0|7:x', 'oidc'],
])('the caller %s is of the type %s, without a session and without a limit to agents', (principal, type) => {
  const caller = read({ 'x-fleet-principal': principal, 'x-fleet-scopes': '' });
  expect(caller).toEqual({ type, principal, id: '', name: '', scopes: [] });
});

test('without a principal there is no caller, whatever else there is', () => {
  expect(read({ 'x-fleet-scopes': 'users:admin', 'x-fleet-actor-name': 'a' })).toBeUndefined();
});

test('during a rotation of the internal token both tokens are accepted, and no other', () => {
  const accepts = (accepted: string[], token: string | undefined) =>
    toTokenCheck(accepted)({ headers: { 'x-fleet-internal-token': token } } as unknown as IncomingMessage);
  for (const [token, isAccepted] of [
    ['new', true],
    ['old', true],
    ['other', false],
    ['', false],
    [undefined, false],
  ] as const) {
    expect(accepts(['new', 'old'], token)).toBe(isAccepted);
  }
  expect([accepts(['new'], 'old'), accepts([], undefined)]).toEqual([false, true]);
});
