import { readFileSync } from 'node:fs';
import { readCommand } from '@agent-fleet/scripts/testing/command';
import { startTestRedis } from '@agent-fleet/scripts/testing/test-redis';
import { describe, expect, test } from '@jest/globals';
import { generatePython, PYTHON_FILES } from '../clients/python-files.ts';
import { readServedDocument } from '../clients/served-document.ts';
import { API_KEY, LocalFleet } from '../harness/local-fleet.ts';
import { PYTHON_CLIENT, preparePython } from '../harness/python.ts';
import { runReadme } from './run-readme.ts';
import { specifyPythonClient } from './specify-python-client.ts';

const TIMEOUT_MS = 600_000;

await specifyPythonClient({ slow: false });

const python = await preparePython('checks');
if ('missing' in python) {
  test.skip(`the checks of the Python client: ${python.missing}`, () => {});
} else {
  describe('the Python client', () => {
    test(
      'has the models and operations of the served API document',
      async () => {
        const document = await readServedDocument();
        for (const { file, generator } of PYTHON_FILES)
          expect(await generatePython(generator, document)).toBe(readFileSync(file, 'utf8'));
      },
      TIMEOUT_MS,
    );

    test(
      'does what its README shows, after it was installed as described there',
      async () => {
        const fleet = await LocalFleet.start({ ownRedis: startTestRedis });
        try {
          const printed = await runReadme(python.path, { baseUrl: fleet.baseUrl, apiKey: API_KEY });
          expect(printed).toContain("{'notes': 'Done: Write the release notes of version 2.4'}");
        } finally {
          await fleet.close();
        }
      },
      TIMEOUT_MS,
    );

    test.each([
      ['mypy', '--strict', '--cache-dir=/dev/null'],
      ['pyright', '--warnings', '--pythonpath', python.path],
      ['ruff', 'check', '--no-cache', '.'],
      ['ruff', 'format', '--no-cache', '--check', '.'],
    ])(
      'passes %s %s',
      async (...args) => {
        const checked = readCommand(python.path, ['-m', ...args], { cwd: PYTHON_CLIENT, timeoutMs: TIMEOUT_MS });
        await expect(checked).resolves.toEqual(expect.any(String));
      },
      TIMEOUT_MS,
    );
  });
}
