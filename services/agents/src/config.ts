import {
  type CommonConfig,
  commonVariables,
  findWeakInternalTokens,
  integerVariable,
  readConfig,
  refuseWeakInProduction,
  requireInProduction,
  toCommonConfig,
} from '@agent-fleet/shared/config';
import { type MetricsConfig, metricsVariables, toMetricsConfig } from '@agent-fleet/shared/metrics/metrics-config';
import { type TracingConfig, toTracingConfig, tracingVariables } from '@agent-fleet/shared/tracing/tracing-config';
import { z } from 'zod';

const TYPE = /^[\w.-]{1,64}$/;
const MAX_QUOTA = 1_000_000_000;

export const agentsVariables = z.object({
  ...commonVariables(8081),
  ...metricsVariables(9465),
  ...tracingVariables,
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
  TASK_RETENTION_SECONDS: integerVariable(60, 31_536_000).default(604_800).describe('how long ended tasks are kept'),
  TASK_RETENTION_COUNT: integerVariable(1, 1_000_000).default(10_000).describe('ended tasks that an agent keeps'),
  MAX_WAITS_PER_PRINCIPAL: integerVariable(0, MAX_QUOTA)
    .default(1_000)
    .describe('waiting requests of a user or key at once, per replica; 0 is no limit'),
  MAX_STREAMS_PER_PRINCIPAL: integerVariable(0, MAX_QUOTA).default(100).describe('the same for event streams'),
  MAX_AGENTS_PER_PRINCIPAL: integerVariable(0, MAX_QUOTA)
    .default(0)
    .meta({ example: 1_000, description: 'agents that a user or key may have created; 0 is no limit' }),
  MAX_PENDING_TASKS_PER_PRINCIPAL: integerVariable(0, MAX_QUOTA)
    .default(0)
    .meta({ example: 100_000, description: 'the same for pending tasks' }),
});

export interface AgentsConfig extends CommonConfig {
  metrics: MetricsConfig;
  /** Undefined when spans are not exported. */
  tracing: TracingConfig | undefined;
  /** The allowed agent types. */
  agentTypes: readonly string[];
  /** How long an ended task is kept, in ms, and how many of them per agent. */
  retention: { ms: number; count: number };
  /**
   * What one principal may have at most: waiting requests and event streams that are open at once, per replica; agents
   * and pending tasks that it has created. 0: no limit.
   */
  quotas: { waits: number; streams: number; agents: number; pendingTasks: number };
}

/** The only reader of the environment here. @throws ConfigError with a line for every wrong variable */
export function readAgentsConfig(env: NodeJS.ProcessEnv): AgentsConfig {
  const read = readConfig(agentsVariables, env);
  requireInProduction(read, { INTERNAL_TOKEN: read.INTERNAL_TOKEN });
  refuseWeakInProduction(read, findWeakInternalTokens(read));
  const retention = { ms: read.TASK_RETENTION_SECONDS * 1_000, count: read.TASK_RETENTION_COUNT };
  const quotas = {
    waits: read.MAX_WAITS_PER_PRINCIPAL,
    streams: read.MAX_STREAMS_PER_PRINCIPAL,
    agents: read.MAX_AGENTS_PER_PRINCIPAL,
    pendingTasks: read.MAX_PENDING_TASKS_PER_PRINCIPAL,
  };
  return {
    ...toCommonConfig(read),
    metrics: toMetricsConfig(read),
    tracing: toTracingConfig(read, 'agent-fleet-agents'),
    agentTypes: read.AGENT_TYPES,
    retention,
    quotas,
  };
}
