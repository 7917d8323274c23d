import type { components } from '@agent-fleet/sdk';
import { fleet } from '../../api/fleet.ts';

export type Skill = components['schemas']['Skill'];

/** A SKILL.md as this registry fetched it. */
export interface SkillFile {
  text: string;
  /** SHA-256 in hexadecimal digits. */
  digest: string | undefined;
  /** The digest that its registry declares, if the file has another one. */
  declaredDigest: string | undefined;
}

/** @throws FleetError */
export async function readSkillFile(id: string, signal: AbortSignal): Promise<SkillFile> {
  const params = { path: { skill_id: id } };
  const { data, response } = await fleet.get('/api/skills/{skill_id}/skill.md', { params, signal, retries: 0 });
  return {
    text: data ?? '',
    digest: toHex(response.headers.get('repr-digest')),
    declaredDigest: response.headers.get('x-digest-mismatch') ?? undefined,
  };
}

/** From `sha-256=:…:` (RFC 9530). */
function toHex(header: string | null): string | undefined {
  const base64 = /sha-256=:([\w+/=]+):/.exec(header ?? '')?.[1];
  if (base64 === undefined) return undefined;
  return Array.from(atob(base64), (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('');
}
