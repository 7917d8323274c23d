import { hash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { packDocument, packStream, unpackDocument } from './document.ts';

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
