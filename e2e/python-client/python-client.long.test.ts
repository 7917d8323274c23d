import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeWheel } from '@agent-fleet/scripts/packages/wheel';
import { readCommand } from '@agent-fleet/scripts/testing/command';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { startTestRedis } from '@agent-fleet/scripts/testing/test-redis';
import { describe, expect, test } from '@jest/globals';
import { generatePython, PYTHON_FILES } from '../clients/python-files.ts';
import { readServedDocument } from '../clients/served-document.ts';
import { API_KEY, LocalFleet } from '../harness/local-fleet.ts';
import { PYTHON_CLIENT, preparePython } from '../harness/python.ts';
import { runReadme } from './run-readme.ts';
import { specifyPythonClient } from './specify-python-client.ts';

const TIMEOUT_MS = 600_000;
/** Compares each installed file with the digest and the length that the wheel's record has of it. */
const CHECK_INSTALLED = `
import base64, hashlib, agent_fleet, agent_fleet.worker
from importlib.metadata import distribution
found = distribution("agent-fleet")
for file in found.files:
    if file.hash and "INSTALLER" not in str(file):
        data = file.locate().read_bytes()
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        assert (file.hash.value, file.size) == (digest, len(data)), file
print(found.version, found.metadata["Requires-Python"], found.requires, found.metadata["License-Expression"])
print(any(str(file).endswith("py.typed") for file in found.files), "fleet" in found.metadata.get_payload())
`;

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

    test(
      'is what the wheel installs that a fleet serves',
      async () => {
        const [folder, { name, bytes }] = [ownFolder(), makeWheel()];
        writeFileSync(join(folder, name), bytes);
        const site = join(folder, 'site');
        await readCommand(python.path, ['-m', 'pip', 'install', '--no-deps', '--target', site, join(folder, name)]);
        const env = { PYTHONPATH: site, PATH: process.env.PATH };
        expect(await readCommand(python.path, ['-c', CHECK_INSTALLED], { cwd: folder, env })).toBe(
          "1.0.0 >=3.11 ['httpx>=0.28,<1'] MIT\nTrue True\n",
        );
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
