import type { FieldError } from '@agent-fleet/shared/http/errors';
import { INTERNAL_TOKEN_HEADER } from '@agent-fleet/shared/http/internal-access';
import { LRUCache } from 'lru-cache';
import type { Skill } from '../agent-work/agent-fields.ts';
import type { FleetContext } from '../redis/fleet-context.ts';

/** How long the registry may take. */
const TIMEOUT_MS = 2_000;
/** Ids that were found are not looked up again for a minute. */
const KNOWN = { max: 10_000, ttl: 60_000 };

/** Finds a skill that the registry does not have. While the registry is away, or empty, it finds none. */
export type FindUnknownSkill = (skills: readonly Skill[] | null | undefined) => Promise<FieldError | undefined>;

export function createFindUnknownSkill({ config, logger }: FleetContext): FindUnknownSkill {
  const { registryUrl, internalToken } = config;
  const known = new LRUCache<string, true>(KNOWN);
  const headers = internalToken === undefined ? {} : { [INTERNAL_TOKEN_HEADER]: internalToken };

  async function isUnknown(id: string): Promise<boolean> {
    if (known.has(id)) return false;
    try {
      const url = `${registryUrl}/api/skills/${encodeURIComponent(id)}`;
      const response = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
      await response.body?.cancel();
      if (response.ok) known.set(id, true);
      return response.status === 404;
    } catch (error) {
      logger.debug({ err: error }, 'the registry cannot be asked for a skill');
      return false;
    }
  }

  return async (skills) => {
    if (registryUrl === undefined || !skills || skills.length === 0) return undefined;
    const ids = skills.map((skill) => (typeof skill === 'string' ? skill : skill.id));
    const unknown = await Promise.all(ids.map(isUnknown));
    const at = unknown.indexOf(true);
    if (at < 0) return undefined;
    return { path: `skills.${at}`, code: 'unknown_skill', message: `is no skill of the registry: ${ids[at]}` };
  };
}
