import {
  type CommonConfig,
  commonVariables,
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
      'must be a comma list of names of letters, digits, _ . or -',
    )
    .refine((types) => types.length <= 100, 'must name at most 100 types')
    .meta({ example: 'claude,gpt,gemini' }),
});

export interface AgentsConfig extends CommonConfig {
  /** The types that an agent may have. */
  agentTypes: readonly string[];
}

/** The only reader of the environment here. @throws ConfigError with a line for every wrong variable */
export function readAgentsConfig(env: NodeJS.ProcessEnv): AgentsConfig {
  const read = readConfig(variables, env);
  requireInProduction(read, { INTERNAL_TOKEN: read.INTERNAL_TOKEN });
  return { ...toCommonConfig(read), agentTypes: read.AGENT_TYPES };
}
