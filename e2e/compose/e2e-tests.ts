import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '@agent-fleet/scripts/services';
import { runCommand } from '@agent-fleet/scripts/testing/command';
import type { Outcome } from '@agent-fleet/scripts/testing/outcome';
import { readAdmin } from './credentials.ts';
import type { Run } from './run.ts';

const JEST = join(ROOT, 'node_modules/jest/bin/jest.js');
const TIMEOUT_MS = 600_000;

/** Runs end-to-end tests against the stack. `files`: a pattern of file names, without `.test.ts`. */
export async function runTests({ scene, scorecard, signal, folder }: Run, files: string, more: NodeJS.ProcessEnv = {}) {
  const { stack, target } = scene;
  const { email, password } = await readAdmin(stack);
  const outcomeFile = join(folder, 'outcome.json');
  const env = {
    ...process.env,
    TESTS: 'compose',
    OUTCOME_FILE: outcomeFile,
    E2E_BASE_URL: target.baseUrl,
    E2E_ADMIN_EMAIL: email,
    E2E_ADMIN_PASSWORD: password,
    E2E_API_KEY: target.apiKey,
    ...more,
  };
  await rm(outcomeFile, { force: true });
  // In sequence, because the files count the agents of the same system.
  const args = [JEST, '--ci', '--maxWorkers=1', '--testPathPatterns', `/e2e/(${files})(\\.browser)?\\.test\\.ts$`];
  await runCommand(process.execPath, args, { cwd: ROOT, env, inherit: true, signal, timeoutMs: TIMEOUT_MS });
  const outcome: Outcome = JSON.parse(await readFile(outcomeFile, 'utf8'));
  console.log(`  end-to-end tests: ${outcome.passed} passed, ${outcome.failures.length} failed`);
  scorecard.add(outcome);
  if (outcome.failures.length > 0) console.log(await stack.logs());
}
