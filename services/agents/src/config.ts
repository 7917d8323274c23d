import {
  type CommonConfig,
  commonVariables,
  integerVariable,
  readConfig,
  requireInProduction,
  toCommonConfig,
} from '@agent-fleet/shared/config';
import { z } from 'zod';

const TYPE = /^[\w.-]{1,64}$/;

const variables = z.object({
  ...commonVariables(8081),
  AGENT_TYPES: z
    .string()
    .default('claude,gpt,gemini')
    .transform((text) => [...new Set(text.split(',').map((type) => type.trim()))])
    .refine(
      (types) => types.every((type) => TYPE.test(type)),
      'must be a comma-separated list of names of letters, digits, _ . or -',
    )
    .refine((types) => types.length <= 100, 'must name at most 100 types')
    .meta({ example: 'claude,gpt,gemini' }),
  TASK_RETENTION_SECONDS: integerVariable(60, 31_536_000).default(604_800).meta({ example: 604_800 }),
  TASK_RETENTION_COUNT: integerVariable(1, 1_000_000).default(10_000).meta({ example: 10_000 }),
});

export interface AgentsConfig extends CommonConfig {
  /** The allowed agent types. */
  agentTypes: readonly string[];
  /** How long an ended task is kept, in ms, and how many of them per agent. */
  retention: { ms: number; count: number };
}

/** The only reader of the environment here. @throws ConfigError with a line for every wrong variable */
export function readAgentsConfig(env: NodeJS.ProcessEnv): AgentsConfig {
  const read = readConfig(variables, env);
  requireInProduction(read, { INTERNAL_TOKEN: read.INTERNAL_TOKEN });
  const retention = { ms: read.TASK_RETENTION_SECONDS * 1_000, count: read.TASK_RETENTION_COUNT };
  return { ...toCommonConfig(read), agentTypes: read.AGENT_TYPES, retention };
}
