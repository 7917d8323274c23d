import { fileURLToPath } from 'node:url';
import { SERVICE_NAMES, type ServiceName } from '@agent-fleet/scripts/services';
import type { Api } from '../harness/api.ts';
import type { LocalFleetOptions } from '../harness/local-fleet.ts';
import { QUOTA } from './faults.ts';
import { openSkillPlace } from './skill-place.ts';

const GATEWAY_ENVIRONMENT = {
  UPSTREAM_TIMEOUT_SECONDS: '35',
  RATE_LIMIT_PER_MINUTE: '100000',
  SIGN_IN_LIMIT_PER_MINUTE: '100000',
};
const AGENTS_ENVIRONMENT = {
  MAX_AGENTS_PER_PRINCIPAL: String(QUOTA),
  MAX_PENDING_TASKS_PER_PRINCIPAL: String(QUOTA),
};

/**
 * Lets `api` open a fleet into which every fault can be injected, and whose registry has a skill with a SKILL.md on
 * this machine. Resolves with what closes both.
 */
export async function openFaultyFleet(
  api: Api,
  ownRedis: NonNullable<LocalFleetOptions['ownRedis']>,
): Promise<() => Promise<void>> {
  const place = await openSkillPlace();
  const toEnvironment = (name: ServiceName): NodeJS.ProcessEnv => ({
    E2E_PROCESS: name,
    ...(name === 'gateway' && GATEWAY_ENVIRONMENT),
    ...(name === 'agents' && AGENTS_ENVIRONMENT),
    ...(name === 'registry' && place.env),
  });
  const close = async () => {
    await api.close();
    place.close();
  };
  const options = {
    nodeArgs: ['--import', fileURLToPath(new URL('./fault-injection.ts', import.meta.url))],
    env: Object.fromEntries(SERVICE_NAMES.map((name) => [name, toEnvironment(name)])),
    ownRedis,
  };
  await api.open(options).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return close;
}
