import { hash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { keepGzip, packDocument, packStream, unpackDocument } from './document.ts';

const signal = new AbortController().signal;

describe('packing a document', () => {
  it('keeps every byte, however they come, in memory of its own', async () => {
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

  it('stops at the first byte too many: the rest is never read', async () => {
    let given = 0;
    const endless = function* () {
      for (;;) yield Buffer.alloc(1_000, given++);
    };
    await expect(packStream(Readable.from(endless()), 10_000, signal)).rejects.toMatchObject({ code: 'too_large' });
    expect(given).toBeLessThan(200);
  });

  it('holds no more of noise than 64 MiB', async () => {
    // Deflate looks back 32 KiB: it does not see that it comes again.
    const block = randomBytes(1024 * 1024);
    const noise = function* () {
      for (;;) yield block;
    };
    const packing = packStream(Readable.from(noise()), 256 * 1024 * 1024, signal);
    await expect(packing).rejects.toMatchObject({ code: 'too_large', message: expect.stringContaining('67108864') });
  }, 120_000);
});

describe('keeping what comes in gzip', () => {
  const inPieces = (bytes: Buffer) => Readable.from([bytes.subarray(0, 20), bytes.subarray(20)], { objectMode: false });
  const text = Buffer.from('[{"name":"a"}]');
  const documentOf = (whole: Buffer) => ({ digest: hash('sha256', whole), bytes: whole.length });

  it('keeps one member as it is', async () => {
    const check = async (bytes: Uint8Array) => {
      const sent = gzipSync(bytes);
      const document = await keepGzip(inPieces(sent), 10_000, signal);
      expect(document).toMatchObject(documentOf(Buffer.from(bytes)));
      expect(sent.equals(document.packed)).toBe(true);
      expect(document.packed.buffer).toBeInstanceOf(SharedArrayBuffer);
    };
    await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 10_000 }), check), { numRuns: 50 });
  });

  const others: [string, Buffer, Buffer][] = [
    ['two members', Buffer.concat([gzipSync(text), gzipSync(text)]), Buffer.concat([text, text])],
    ['a member of nothing at the end', Buffer.concat([gzipSync(text), gzipSync('')]), text],
  ];
  it.each(others)('packs %s anew, into one', async (_, sent, whole) => {
    const document = await keepGzip(inPieces(sent), 10_000, signal);
    expect(document).toMatchObject(documentOf(whole));
    expect(gunzipSync(document.packed).equals(whole)).toBe(true);
    expect(document.packed).toEqual((await packDocument(whole)).packed);
  });

  it('stops at the first byte too many, and fails for what breaks off or is damaged', async () => {
    const bomb = gzipSync(Buffer.alloc(10_001));
    await expect(keepGzip(inPieces(bomb), 10_000, signal)).rejects.toMatchObject({ code: 'too_large' });
    const sent = gzipSync(randomBytes(500));
    await expect(keepGzip(inPieces(sent.subarray(0, -1)), 10_000, signal)).rejects.toThrow('unexpected end of file');
    sent[sent.length - 6] = (sent[sent.length - 6] as number) ^ 1;
    await expect(keepGzip(inPieces(sent), 10_000, signal)).rejects.toThrow('incorrect data check');
  });
});
