import {
  findWeakInternalTokens,
  integerVariable,
  readConfig,
  refuseWeakInProduction,
  requireInProduction,
} from '@agent-fleet/shared/config';
import { serviceVariables, toServiceConfig } from '@agent-fleet/shared/service-config';
import { z } from 'zod';
import { parseSources, SHIPPED_SOURCE, TooManySources } from './source/source.ts';

const DIGEST_LIST = /^[0-9a-f]{64}([\s,]+[0-9a-f]{64})*$/;

export const registryVariables = z.object({
  ...serviceVariables(8082, 9466),
  REGISTRY_SOURCE_URL: z
    .string()
    .transform((text, context) => {
      try {
        return parseSources(text);
      } catch (error) {
        // The message never repeats the list: it may hold credentials.
        const isTooLong = error instanceof TooManySources;
        context.addIssue(isTooLong ? error.message : 'must be different https, http or file URLs, separated by commas');
        return z.NEVER;
      }
    })
    .default([SHIPPED_SOURCE])
    // A URL may have a password.
    .meta({
      example: 'https://example.com/registry.json,https://example.org/skills.json',
      secret: true,
      description: 'up to 1,000 [sources](#sources-of-the-registry), separated by commas',
    }),
  REGISTRY_REFRESH_SECONDS: integerVariable(1, 86_400).default(300).describe('interval of checks of the sources'),
  REGISTRY_ACCEPT_SNAPSHOT: z
    .string()
    .regex(DIGEST_LIST, 'must be one or more snapshot_ids that the status lists as refused')
    .optional()
    .meta({
      example: '3f0c9d0c5f1a0a9ad7d6f0b1ce0a6b7d4f9f2b1d0c3e5a7986a1b2c3d4e5f607',
      description: 'refused snapshots to serve anyway, by `refused.snapshot_id` of `/api/registry/status`',
    }),
  REGISTRY_ALLOW_PRIVATE: z
    .enum(['true', 'false'], 'must be true or false')
    .default('false')
    .meta({ example: 'true', description: 'whether a SKILL.md may come from an address of a private network' }),
  DATA_DIR: z.string().optional().meta({ example: '.data', description: 'folder of snapshots; in containers `/data`' }),
});

export type RegistryConfig = ReturnType<typeof readRegistryConfig>;

/** The only reader of the environment here. @throws ConfigError with a line for every wrong variable */
export function readRegistryConfig(env: NodeJS.ProcessEnv) {
  const read = readConfig(registryVariables, env);
  requireInProduction(read, { INTERNAL_TOKEN: read.INTERNAL_TOKEN });
  refuseWeakInProduction(read, findWeakInternalTokens(read));
  return {
    ...toServiceConfig(read, 'agent-fleet-registry'),
    /** Listings of sources are not expanded yet. */
    sources: read.REGISTRY_SOURCE_URL,
    refreshMs: read.REGISTRY_REFRESH_SECONDS * 1_000,
    /** Digests of refused files that an operator accepts. */
    accepted: new Set(read.REGISTRY_ACCEPT_SNAPSHOT?.split(/[\s,]+/)),
    allowsPrivate: read.REGISTRY_ALLOW_PRIVATE === 'true',
    /** Undefined: snapshots are not stored on disk. */
    dataDir: read.DATA_DIR,
  };
}
