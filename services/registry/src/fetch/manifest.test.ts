import { expect, test } from '@jest/globals';
import { openLog } from '../../test/support/opened.ts';
import { packDocument } from '../source/document.ts';
import { UpstreamError } from '../source/errors.ts';
import { readManifest } from './manifest.ts';

test('the error of a manifest with many faults is short and has the first ones', async () => {
  const shards = Array.from({ length: 2_000 }, () => ({ path: '', bytes: -1, sha256: 'x'.repeat(300) }));
  const document = await packDocument(Buffer.from(JSON.stringify({ schema_version: 1, shards })));
  const { lines, logger } = openLog();
  try {
    readManifest(document);
  } catch (error) {
    expect(error).toBeInstanceOf(UpstreamError);
    logger.warn({ err: error }, 'bad');
  }
  expect(lines).toHaveLength(1);
  expect(lines[0]?.length).toBeLessThan(6_000);
  expect(lines[0]).toContain('shards.0.path');
});
