import { globSync } from 'node:fs';
import { readCommand } from '@agent-fleet/scripts/testing/command';
import { startTestRedis } from '@agent-fleet/scripts/testing/test-redis';
import { afterAll, describe, test } from '@jest/globals';
import { Api } from '../harness/api.ts';
import { PYTHON_CLIENT, preparePython } from '../harness/python.ts';
import { CONTROLS_PROCESSES, logOmittedTests } from '../harness/system.ts';

const TIMEOUT_MS = 300_000;
/** The type of agents whose tasks no worker takes that is for whole types. */
const TEST_TYPE = 'test';
const CLOSE_TIMEOUT_MS = 60_000;

/**
 * Runs the tests of the Python client against a fleet, each file by itself: they wait more than they compute. `slow`
 * selects the tests that are marked so, else those that are not. Resolves when the tests are declared.
 */
export async function specifyPythonClient({ slow }: { slow: boolean }): Promise<void> {
  if (!CONTROLS_PROCESSES) {
    logOmittedTests('the Python client');
    return;
  }
  const python = await preparePython('test');
  if ('missing' in python) {
    test.skip(`the tests of the Python client: ${python.missing}`, () => {});
    return;
  }
  const api = new Api();
  // Concurrent tests begin before `beforeAll`.
  await api.open({ ownRedis: startTestRedis, env: { agents: { AGENT_TYPES: `claude,gpt,gemini,${TEST_TYPE}` } } });
  afterAll(() => api.close(), CLOSE_TIMEOUT_MS);

  const files = slow ? ['tests'] : globSync('tests/test_*.py', { cwd: PYTHON_CLIENT });
  const args = ['-m', 'pytest', '--quiet', '-m', slow ? 'slow' : 'not slow'];
  const env = {
    PATH: process.env.PATH,
    FLEET_URL: api.baseUrl,
    FLEET_API_KEY: api.apiKey,
    FLEET_TEST_TYPE: TEST_TYPE,
    PYTHONDONTWRITEBYTECODE: '1',
  };
  describe('the Python client', () => {
    for (const file of files) {
      const run = () => readCommand(python.path, [...args, file], { cwd: PYTHON_CLIENT, env, timeoutMs: TIMEOUT_MS });
      test.concurrent(`passes its ${slow ? 'slow ' : ''}tests in ${file}`, async () => void (await run()), TIMEOUT_MS);
    }
  });
}
