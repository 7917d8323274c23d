import { fileURLToPath } from 'node:url';
import { SERVICE_NAMES, type ServiceName } from '@agent-fleet/scripts/services';
import { own } from '@agent-fleet/scripts/testing/own';
import { startTestRedis } from '@agent-fleet/scripts/testing/test-redis';
import { beforeAll } from '@jest/globals';
import { withPages } from './browser/support/web-root.ts';
import { FAULTS, QUOTA } from './contract/faults.ts';
import { openSkillPlace } from './contract/skill-place.ts';
import { specifyContract } from './contract/specify-contract.ts';
import { Api } from './harness/api.ts';

const GATEWAY_ENVIRONMENT = {
  UPSTREAM_TIMEOUT_SECONDS: '35',
  RATE_LIMIT_PER_MINUTE: '100000',
  SIGN_IN_LIMIT_PER_MINUTE: '100000',
};
const AGENTS_ENVIRONMENT = {
  MAX_AGENTS_PER_PRINCIPAL: String(QUOTA),
  MAX_PENDING_TASKS_PER_PRINCIPAL: String(QUOTA),
  // None: the data of a suspended session is refused.
  SESSION_ENCRYPTION_KEY: '',
};

const api = new Api();

/** A fleet into which every fault can be injected, and whose registry has a skill with a SKILL.md on this machine. */
beforeAll(async () => {
  const place = await openSkillPlace();
  own(place.close);
  own(() => api.close());
  const toEnvironment = (name: ServiceName): NodeJS.ProcessEnv => ({
    E2E_PROCESS: name,
    ...(name === 'gateway' && GATEWAY_ENVIRONMENT),
    ...(name === 'agents' && AGENTS_ENVIRONMENT),
    ...(name === 'registry' && place.env),
  });
  const options = {
    nodeArgs: ['--import', fileURLToPath(new URL('./contract/fault-injection.ts', import.meta.url))],
    env: Object.fromEntries(SERVICE_NAMES.map((name) => [name, toEnvironment(name)])),
    ownRedis: startTestRedis,
  };
  await api.open(await withPages(options));
}, 180_000);

specifyContract(api, FAULTS);
