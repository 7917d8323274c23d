import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { LaunchError } from '../local/launch-error.ts';
import { ownFolder } from '../testing/own-folder.ts';
import { readSecretFiles } from './secret-files.ts';

test('a secret in a file counts as its variable, unless the variable is given too', () => {
  const file = join(ownFolder(), 'secret');
  writeFileSync(file, 'a b\n');
  const both = { API_KEYS: 'ci:x', API_KEYS_FILE: file };
  const env: NodeJS.ProcessEnv = { JWT_SECRET: '', JWT_SECRET_FILE: file, OIDC_ISSUERS_FILE: file, ...both };
  readSecretFiles(env);
  expect(env).toEqual({ JWT_SECRET: 'a b', OIDC_ISSUERS_FILE: file, ...both });
});

test.each([
  ['/nowhere', 'ENOENT'],
  [tmpdir(), 'EISDIR'],
])('the file %s of a secret is refused by the name of its variable', (file, code) => {
  const read = () => readSecretFiles({ REDIS_URL_FILE: file });
  expect(read).toThrow(new LaunchError(`REDIS_URL_FILE: names a file that cannot be read (${code})`));
});
