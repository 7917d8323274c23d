import {
  findWeakInternalTokens,
  integerVariable,
  parsed,
  readConfig,
  refuseWeakInProduction,
  requireInProduction,
} from '@agent-fleet/shared/config';
import { serviceVariables, toServiceConfig } from '@agent-fleet/shared/service-config';
import { z } from 'zod';

const TYPE = /^[\w.-]{1,64}$/;
const MAX_QUOTA = 1_000_000_000;

export const agentsVariables = z.object({
  ...serviceVariables(8081, 9465),
  AGENT_TYPES: z
    .string()
    .default('claude,gpt,gemini')
    .transform((text) => [...new Set(text.split(',').map((type) => type.trim()))])
    .refine(
      (types) => types.every((type) => TYPE.test(type)),
      'must be a comma-separated list of names of letters, digits, _ . or -',
    )
    .refine((types) => types.length <= 100, 'must name at most 100 types')
    .meta({ example: 'claude,gpt,gemini', description: 'the allowed types of agents' }),
  SESSION_ENCRYPTION_KEY: parsed(parseKeys)
    .optional()
    .meta({ secret: true, example: '$(openssl rand -base64 32)' })
    .describe(
      'encrypts the sessions of suspended agents: 32 bytes in base64; the one before it may follow after a comma',
    ),
  REGISTRY_URL: parsed(parseOrigin)
    .optional()
    .meta({ example: 'http://registry:8082' })
    .describe('base URL of registry, which is asked whether it has the skills of tasks; unset: nobody is'),
  TASK_RETENTION_SECONDS: integerVariable(60, 31_536_000).default(604_800).describe('how long ended tasks are kept'),
  TASK_RETENTION_COUNT: integerVariable(1, 1_000_000).default(10_000).describe('ended tasks that an agent keeps'),
  MAX_WAITS_PER_PRINCIPAL: integerVariable(0, MAX_QUOTA).default(1_000).describe('requests that wait, per replica'),
  MAX_STREAMS_PER_PRINCIPAL: integerVariable(0, MAX_QUOTA).default(100).describe('event streams, per replica'),
  MAX_AGENTS_PER_PRINCIPAL: integerVariable(0, MAX_QUOTA).default(0).describe('agents of a user or key'),
  MAX_PENDING_TASKS_PER_PRINCIPAL: integerVariable(0, MAX_QUOTA).default(0).describe('tasks of a user or key'),
});

export type AgentsConfig = ReturnType<typeof readAgentsConfig>;

/** The only reader of the environment here. @throws ConfigError with a line for every wrong variable */
export function readAgentsConfig(env: NodeJS.ProcessEnv) {
  const read = readConfig(agentsVariables, env);
  requireInProduction(read, { INTERNAL_TOKEN: read.INTERNAL_TOKEN });
  refuseWeakInProduction(read, findWeakInternalTokens(read));
  return {
    ...toServiceConfig(read, 'agent-fleet-agents'),
    agentTypes: read.AGENT_TYPES,
    /** The first encrypts, all decrypt; none: sessions are not kept. */
    sessionKeys: read.SESSION_ENCRYPTION_KEY ?? [],
    registryUrl: read.REGISTRY_URL,
    /** How long an ended task is kept, and how many of them per agent. */
    retention: { ms: read.TASK_RETENTION_SECONDS * 1_000, count: read.TASK_RETENTION_COUNT },
    /** What one principal may have at most, waits and streams per replica; 0 is no limit. */
    quotas: {
      waits: read.MAX_WAITS_PER_PRINCIPAL,
      streams: read.MAX_STREAMS_PER_PRINCIPAL,
      agents: read.MAX_AGENTS_PER_PRINCIPAL,
      pendingTasks: read.MAX_PENDING_TASKS_PER_PRINCIPAL,
    },
  };
}

/** @throws Error for anything but an http or https URL without a path */
function parseOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '') return url.origin;
  throw new Error('must be an http or https URL without a path');
}

const KEY_BYTES = 32;
const MAX_KEYS = 2;

/** Up to two keys, separated by a comma. @throws Error */
function parseKeys(text: string): Buffer[] {
  const keys = text.split(',').map((key) => Buffer.from(key.trim(), 'base64'));
  if (keys.length <= MAX_KEYS && keys.every((key) => key.length === KEY_BYTES)) return keys;
  throw new Error('must be one or two keys of 32 bytes in base64, separated by a comma');
}
