import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openRepository } from '../src/sources/git-repository.ts';

test('goes on when folders vanish while their sizes are measured', async () => {
  const bin = mkdtempSync(join(tmpdir(), 'fleet-skills-test-'));
  try {
    writeFileSync(join(bin, 'git'), '#!/bin/sh\nrm -r "$GIT_DIR"\nsleep 0.5\nexit 1\n', { mode: 0o755 });
    const env = { PATH: [bin, process.env.PATH].join(delimiter) };
    await expect(openRepository({ url: 'https://127.0.0.1:1/r.git' }, { env })).rejects.toThrow('Git cannot fetch');
  } finally {
    rmSync(bin, { recursive: true });
  }
});
