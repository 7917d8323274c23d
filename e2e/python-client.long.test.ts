import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommand } from '@agent-fleet/scripts/testing/command';
import { expect, test } from '@jest/globals';
import { PYTHON_MODELS, toPythonModels } from './clients/python-models.ts';
import { readServedDocument } from './clients/served-document.ts';
import { PYTHON_CLIENT, preparePython } from './harness/python.ts';
import { specifyPythonClient } from './python-client/specify-python-client.ts';

const TIMEOUT_MS = 600_000;
const README = join(PYTHON_CLIENT, 'README.md');

await specifyPythonClient('slow', TIMEOUT_MS);

const python = await preparePython('checks');
if ('missing' in python) {
  test.skip(`the checks of the Python client: ${python.missing}`, () => {});
} else {
  const run = (args: readonly string[]) =>
    readCommand(python.path, args, { cwd: PYTHON_CLIENT, timeoutMs: TIMEOUT_MS });

  test(
    'the models of the Python client are those of the served API document',
    async () => {
      expect(await toPythonModels(await readServedDocument())).toBe(readFileSync(PYTHON_MODELS, 'utf8'));
    },
    TIMEOUT_MS,
  );

  test.each([
    ['mypy', ['-m', 'mypy', '--strict', '--cache-dir=/dev/null', '.']],
    ['pyright', ['-m', 'pyright', '--warnings']],
    ['ruff', ['-m', 'ruff', 'check', '--no-cache', '.']],
    ['ruff format', ['-m', 'ruff', 'format', '--no-cache', '--check', '.']],
  ])(
    '%s finds nothing in the Python client',
    async (_, args) => {
      await run(args);
    },
    TIMEOUT_MS,
  );
}
