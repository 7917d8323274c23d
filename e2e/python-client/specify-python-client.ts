import { readCommand } from '@agent-fleet/scripts/testing/command';
import { startTestRedis } from '@agent-fleet/scripts/testing/test-redis';
import { afterAll, beforeAll, test } from '@jest/globals';
import { Api } from '../harness/api.ts';
import { PYTHON_CLIENT, preparePython } from '../harness/python.ts';

const START_TIMEOUT_MS = 180_000;

/** Runs the tests of the Python client that are marked so, against a fleet. Resolves when the test is declared. */
export async function specifyPythonClient(marked: string, timeoutMs: number): Promise<void> {
  const python = await preparePython('test');
  if ('missing' in python) {
    test.skip(`the tests of the Python client: ${python.missing}`, () => {});
    return;
  }
  const api = new Api();
  beforeAll(() => api.open({ ownRedis: startTestRedis }), START_TIMEOUT_MS);
  afterAll(() => api.close(), START_TIMEOUT_MS);

  test(
    `the tests of the Python client pass (${marked})`,
    async () => {
      const env = {
        PATH: process.env.PATH,
        FLEET_URL: api.baseUrl,
        FLEET_API_KEY: api.apiKey,
        PYTHONDONTWRITEBYTECODE: '1',
      };
      await readCommand(python.path, ['-m', 'pytest', '-q', '-m', marked], { cwd: PYTHON_CLIENT, env, timeoutMs });
    },
    timeoutMs,
  );
}
