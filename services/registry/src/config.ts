import {
  type CommonConfig,
  commonVariables,
  integerVariable,
  readConfig,
  requireInProduction,
  toCommonConfig,
} from '@agent-fleet/shared/config';
import { z } from 'zod';
import { parseSource, SHIPPED_SOURCE, type Source } from './upstream/source.ts';

const variables = z.object({
  ...commonVariables(8082),
  REGISTRY_SOURCE_URL: z
    .string()
    .transform((text, context) => toSource(text) ?? context.addIssue('must be an https, http or file URL') ?? z.NEVER)
    .default(SHIPPED_SOURCE)
    .meta({ example: 'https://example.com/registry.json' }),
  REGISTRY_REFRESH_SECONDS: integerVariable(1, 86_400).default(300).meta({ example: 300 }),
  DATA_DIR: z.string().optional().meta({ example: '.data' }),
});

export interface RegistryConfig extends CommonConfig {
  source: Source;
  refreshMs: number;
  /** Snapshots are kept on disk as well when this is set. */
  dataDir: string | undefined;
}

/** The only reader of the environment here. @throws ConfigError with a line for every wrong variable */
export function readRegistryConfig(env: NodeJS.ProcessEnv): RegistryConfig {
  const read = readConfig(variables, env);
  requireInProduction(read, { INTERNAL_TOKEN: read.INTERNAL_TOKEN });
  return {
    ...toCommonConfig(read),
    source: read.REGISTRY_SOURCE_URL,
    refreshMs: read.REGISTRY_REFRESH_SECONDS * 1_000,
    dataDir: read.DATA_DIR,
  };
}

function toSource(text: string): Source | undefined {
  try {
    return parseSource(text);
  } catch {
    return undefined;
  }
}
