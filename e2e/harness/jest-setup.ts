import { globSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '@agent-fleet/scripts/services';
import startRedis from '@agent-fleet/scripts/testing/jest/setup';
import { own } from '@agent-fleet/scripts/testing/own';
import type { Config } from '@jest/types';
import { CATALOGUE_SKILLS } from '../browser/support/catalogue-skills.ts';
import { prepareChromium, shareChromium } from '../browser/support/chromium.ts';
import { openSkillSource } from '../browser/support/skill-source.ts';
import { FAULTY_SKILL, SKILL } from '../browser/support/skills.ts';
import { buildWebRoot } from '../browser/support/web-root.ts';
import { writeRegistryFile } from '../spec/registry-file.ts';
import { LocalFleet } from './local-fleet.ts';
import { SHARED_TYPES, shareFleet } from './shared-fleet.ts';

const SIGN_IN_FAILURES_PER_ACCOUNT = '10';
/** Runs whose files share a fleet; those of the others break their own. */
const SHARING = ['quick', 'browser'];

/** @public The global set-up of all runs of tests: a Redis, and a fleet that end-to-end tests share. */
export default async function setup({ testPathPatterns }: Config.GlobalConfig): Promise<void> {
  await startRedis();
  const { E2E_BASE_URL, TESTS = 'quick' } = process.env;
  const isChosen = testPathPatterns.toExecutor({ rootDir: ROOT });
  const isNeeded = globSync('e2e/**/*.test.ts', { cwd: ROOT }).some((path) => isChosen.isMatch(join(ROOT, path)));
  if (E2E_BASE_URL || !isNeeded || !SHARING.includes(TESTS)) return;
  const chromium = prepareChromium();
  if ('path' in chromium) own(await shareChromium(chromium.path));
  const forBrowser = TESTS === 'browser';
  const source = forBrowser ? await openSkillSource([...CATALOGUE_SKILLS, SKILL, FAULTY_SKILL]) : writeRegistryFile();
  own(source.close);
  const log = { LOG_LEVEL: 'info' };
  const fleet = await LocalFleet.start({
    env: {
      identity: { ...log, SIGN_IN_FAILURES_PER_ACCOUNT },
      agents: { ...log, AGENT_TYPES: SHARED_TYPES.join(',') },
      registry: { ...log, ...source.env },
      gateway: {
        ...log,
        TRUSTED_PROXIES: '127.0.0.1',
        WEB_ROOT: await buildWebRoot(),
      },
    },
  });
  own(() => fleet.close());
  shareFleet(fleet);
}
