import { expect, test } from '@jest/globals';
import { createEventParser } from '../src/event-parser.ts';

/** The same text in pieces of every size gives the same events. */
function parse(text: string) {
  const inOnePiece = createEventParser(() => {}).push(text);
  for (const size of [1, 2, 3, 7]) {
    const parser = createEventParser(() => {});
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
      text.slice(at * size, (at + 1) * size),
    );
    expect(pieces.flatMap((piece) => parser.push(piece))).toEqual(inOnePiece);
  }
  return inOnePiece;
}

test.each<[string, string, object[]]>([
  ['an event', 'id: 7\nevent: log\ndata: {"a":1}\n\n', [{ id: '7', event: 'log', data: '{"a":1}' }]],
  ['the default type', 'data: x\n\n', [{ id: '', event: 'message', data: 'x' }]],
  ['several lines of data', 'data: a\ndata:\ndata:  b\n\n', [{ id: '', event: 'message', data: 'a\n\n b' }]],
  ['comments', ': hello\n\n:\n\ndata: x\n: y\n\n', [{ id: '', event: 'message', data: 'x' }]],
  [
    'the id of an earlier event',
    'id: 1\ndata: a\n\ndata: b\n\n',
    [
      { id: '1', event: 'message', data: 'a' },
      { id: '1', event: 'message', data: 'b' },
    ],
  ],
  ['no event without data', 'id: 1\nevent: x\n\ndata: b\n\n', [{ id: '1', event: 'message', data: 'b' }]],
  ['no event that is cut', 'data: a\n\ndata: b\n', [{ id: '', event: 'message', data: 'a' }]],
  [
    'other ends of lines',
    'data: a\r\n\r\ndata: b\r\rdata: c\n\n',
    ['a', 'b', 'c'].map((data) => ({ id: '', event: 'message', data })),
  ],
  ['unknown fields, and those without a colon', 'data\nfoo: bar\nfoo\n\n', [{ id: '', event: 'message', data: '' }]],
  ['an id with a null character', 'id: 1\nid: a\0b\ndata: x\n\n', [{ id: '1', event: 'message', data: 'x' }]],
])('understands %s', (_what, text, events) => {
  expect(parse(text)).toEqual(events);
});

test('passes on the time to reconnect, if it is a number', () => {
  const times: number[] = [];
  createEventParser((ms) => times.push(ms)).push('retry: 1500\nretry: 2x\nretry:\n\n');
  expect(times).toEqual([1_500]);
});

test.each(['data: x\n', 'x', 'data: x'])('refuses an event without an end: %j', (piece) => {
  const parser = createEventParser(() => {});
  const pushAll = () => {
    for (let index = 0; index < 100; index++) parser.push(piece.repeat(100_000));
  };
  expect(pushAll).toThrow('too large');
});
