import { afterAll } from '@jest/globals';
import { startService } from './start-service.ts';

/** Two replicas on the same data, with a further type of agents, until the tests of the file have ended. */
export async function startTwoReplicas() {
  const env = { AGENT_TYPES: 'claude,gpt,gemini,llama' };
  const one = await startService({ env });
  const other = await startService({ env, prefix: one.prefix });
  afterAll(async () => {
    await one.close();
    await other.close();
  });
  return { one, other, redis: one.redis, keys: one.keys };
}
