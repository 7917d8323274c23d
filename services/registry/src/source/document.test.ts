import { hash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { release } from '../memory/arrays.ts';
import { keepGzip, packDocument, packStream, unpack, unpackDocument } from './document.ts';

const signal = new AbortController().signal;

/** A gzip member with the name of a file in its header. */
function withName(member: Buffer, name: string): Buffer {
  const header = Buffer.from(member.subarray(0, 10));
  header[3] = 8;
  return Buffer.concat([header, Buffer.from(`${name}\0`), member.subarray(10)]);
}

test('a packed document has every byte, in its own memory', async () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 50_000 }), { maxLength: 8 });
  const check = async (parts: Uint8Array[]) => {
    const whole = Buffer.concat(parts);
    const stream = Readable.from(parts.map((part) => Buffer.from(part)));
    const documents = [await packStream(stream, whole.length, signal), await packDocument(whole)];
    for (const document of documents) {
      expect(document).toMatchObject({ digest: hash('sha256', whole), bytes: whole.length });
      expect(document.packed.byteLength).toBe(document.packed.buffer.byteLength);
      expect(gunzipSync(document.packed).equals(whole)).toBe(true);
      expect(unpackDocument(document).equals(whole)).toBe(true);
    }
  };
  await fc.assert(fc.asyncProperty(chunks, check), { numRuns: 50 });
});

test('the memory of an unpacked document can be released at once', async () => {
  const raw = unpack(await packDocument(randomBytes(100_000)));
  expect(raw.length).toBe(100_000);
  release(raw);
  expect(raw.length).toBe(0);
});

test('a document is not read beyond its maximal length', async () => {
  let given = 0;
  const endless = function* () {
    for (;;) yield Buffer.alloc(1_000, given++);
  };
  await expect(packStream(Readable.from(endless()), 10_000, signal)).rejects.toMatchObject({ code: 'too_large' });
  expect(given).toBeLessThan(200);
});

test('a packed document has at most 64 MiB', async () => {
  // Deflate looks back 32 KiB: it does not see the repetition.
  const block = randomBytes(1024 * 1024);
  const noise = function* () {
    for (;;) yield block;
  };
  const packing = packStream(Readable.from(noise()), 256 * 1024 * 1024, signal);
  await expect(packing).rejects.toMatchObject({ code: 'too_large', message: expect.stringContaining('67108864') });
}, 120_000);

const inPieces = (bytes: Buffer) => Readable.from([bytes.subarray(0, 20), bytes.subarray(20)], { objectMode: false });
const text = Buffer.from('[{"name":"a"}]');
const documentOf = (whole: Buffer) => ({ digest: hash('sha256', whole), bytes: whole.length });

test('a document in one gzip member is kept as it is', async () => {
  const check = async (bytes: Uint8Array, level: number) => {
    const sent = gzipSync(bytes, { level });
    const document = await keepGzip(inPieces(sent), 10_000, signal);
    expect(document).toMatchObject(documentOf(Buffer.from(bytes)));
    expect(sent.equals(document.packed)).toBe(true);
    expect(document.packed.buffer).toBeInstanceOf(SharedArrayBuffer);
  };
  const contents = fc.uint8Array({ minLength: 1, maxLength: 10_000 });
  await fc.assert(fc.asyncProperty(contents, fc.integer({ min: 1, max: 9 }), check), { numRuns: 50 });
  await check(Buffer.alloc(10_000), 9);
});

const member = gzipSync(text);
const empty = gzipSync('');
// Any number of empty deflate blocks: 00 00 00 ff ff, and the last one begins with 01.
const nothing = [...Array.from({ length: 300 }, () => [0, 0, 0, 255, 255]), [1, 0, 0, 255, 255]].flat();
const emptyAndLong = Buffer.concat([empty.subarray(0, 10), Buffer.from(nothing), Buffer.alloc(8)]);
const stored = Buffer.from([0, text.length, 0, ~text.length, 255, ...text]);
const padded = Buffer.concat([member.subarray(0, 10), stored, Buffer.from(nothing), member.subarray(-8)]);
const others: [string, Buffer, Buffer][] = [
  ['two members', Buffer.concat([gzipSync(text), gzipSync(text)]), Buffer.concat([text, text])],
  ['an empty member at the end', Buffer.concat([member, empty]), text],
  ['an empty member in front', Buffer.concat([empty, member]), text],
  ['many empty members in front', Buffer.concat([...Array.from({ length: 40 }, () => empty), member]), text],
  ['a long empty member in front', Buffer.concat([emptyAndLong, member]), text],
  ['only empty members', Buffer.concat([empty, empty]), Buffer.alloc(0)],
  [
    'bytes like the end of a member behind the end',
    Buffer.concat([member, Buffer.alloc(3), member.subarray(-8)]),
    text,
  ],
  ['one that is longer than its content', padded, text],
  ['one with a name in its header', withName(member, 'a'.repeat(100)), text],
  ['one with a long name in its header', withName(member, 'a'.repeat(5_000)), text],
];
test.each(others)('a document in gzip is compressed again into one member from %s', async (_, sent, whole) => {
  const document = await keepGzip(inPieces(sent), 10_000, signal);
  expect(document).toMatchObject(documentOf(whole));
  expect(gunzipSync(document.packed).equals(whole)).toBe(true);
  expect(document.packed).toEqual((await packDocument(whole)).packed);
});

test('a document whose packed form is much longer than the raw one is not unpacked at once', () => {
  const document = { ...documentOf(text), packed: padded };
  expect(() => unpackDocument(document)).toThrow(RangeError);
});

test('a document in gzip is refused when it is too long, incomplete or damaged', async () => {
  const bomb = gzipSync(Buffer.alloc(10_001));
  await expect(keepGzip(inPieces(bomb), 10_000, signal)).rejects.toMatchObject({ code: 'too_large' });
  const sent = gzipSync(randomBytes(500));
  await expect(keepGzip(inPieces(sent.subarray(0, -1)), 10_000, signal)).rejects.toThrow('unexpected end of file');
  sent[sent.length - 6] = sent[sent.length - 6]! ^ 1;
  await expect(keepGzip(inPieces(sent), 10_000, signal)).rejects.toThrow('incorrect data check');
});
