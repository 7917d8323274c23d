import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { expect, test } from '@jest/globals';
import { openRepository } from '../src/sources/git-repository.ts';

/** Opens a repository with a script in the place of Git. */
function openBy(script: string) {
  const bin = ownFolder();
  writeFileSync(join(bin, 'git'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const env = { PATH: [bin, process.env.PATH].join(delimiter) };
  return openRepository({ url: 'https://127.0.0.1:1/r.git' }, { env });
}

test('goes on when folders vanish while their sizes are measured', async () => {
  await expect(openBy('rm -r "$GIT_DIR"\nsleep 0.5\nexit 1')).rejects.toThrow('Git cannot fetch');
});

test('says why Git failed, whatever the server has said before', async () => {
  const script = `yes 'remote: welcome' | head -n 10000 >&2\necho 'fatal: repository not found' >&2\nexit 128`;
  await expect(openBy(script)).rejects.toThrow(/; fatal: repository not found$/);
});
