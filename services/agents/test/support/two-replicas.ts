import { startService } from './start-service.ts';

/** Two replicas on the same data, by default with a further type of agents. */
export async function startTwoReplicas(env: NodeJS.ProcessEnv = { AGENT_TYPES: 'claude,gpt,gemini,llama' }) {
  const one = await startService({ env });
  const other = await startService({ env, prefix: one.prefix });
  return { one, other, redis: one.redis, keys: one.keys };
}
