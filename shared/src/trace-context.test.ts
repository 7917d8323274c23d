import { expect, test } from '@jest/globals';
import { readTraceparent, readTracestate } from './trace-context.ts';

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const LATER = `cc${TRACE.slice(2)}`;
const members = (count: number, length = 0) =>
  Array.from({ length: count }, (_, n) => `m${n}=${'x'.repeat(length)}1`).join(',');

test.each([
  ['version 00', TRACE, TRACE],
  ['a later version', LATER, TRACE],
  ['a suffix of a later version', `${LATER}-what-is.more`, TRACE],
  ['undefined flags', `${TRACE.slice(0, -2)}ff`, `${TRACE.slice(0, -2)}03`],
])('reads a traceparent with %s as version 00', (_what, sent, passed) => {
  expect(readTraceparent(sent)).toBe(passed);
});

test.each([
  ...[TRACE.replace(/-0af\w+/, `-${'0'.repeat(32)}`), TRACE.replace(/-b7\w+/, `-${'0'.repeat(16)}`)],
  ...[`ff${TRACE.slice(2)}`, TRACE.toUpperCase(), `cc${TRACE.slice(2)}.more`, `${TRACE}-more`, `${TRACE}, ${TRACE}`],
  ...[`${LATER}-more, ${LATER}`, 'forged', ''],
])('refuses the traceparent %j', (invalid) => {
  expect(readTraceparent(invalid)).toBeUndefined();
});

test.each([
  ['several members', 'a=1,b=2,c=3', 'a=1,b=2,c=3'],
  ['whitespace and empty members', 'a=1 \t, \t b=2,,', 'a=1,b=2'],
  ['all characters that a key and a value may hold', 'a0_-*/@x= !+-.<>~', 'a0_-*/@x= !+-.<>~'],
  ['32 members', members(32), members(32)],
  ['512 characters', `a=${'x'.repeat(252)},b=${'x'.repeat(255)}`, `a=${'x'.repeat(252)},b=${'x'.repeat(255)}`],
])('passes on a tracestate with %s', (_what, sent, passed) => {
  expect(readTracestate(sent)).toBe(passed);
});

test.each(['', ' , ', 'A=1', 'a', 'a =1', 'a=1,b==', 'a=\xe4', members(33), members(9, 80)])(
  'refuses the tracestate %j',
  (sent) => {
    expect(readTracestate(sent)).toBeUndefined();
  },
);
