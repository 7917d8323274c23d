import type { components } from '@agent-fleet/sdk';
import { fleet } from '../../api/fleet.ts';
import { preloadParser } from '../../markdown/parse-markdown.ts';
import type { ListedSkill } from '../search/results.ts';

export type Skill = components['schemas']['Skill'];

const KEPT = 50;
const MAX_AGE_MS = 60_000;
/** A pointer that only passes over a row does not rest so long. */
const REST_MS = 60;

interface Known {
  /** What the list says of it, for the time until its record is there. */
  listed?: ListedSkill;
  record?: { loading: Promise<Skill>; at: number };
}

const known = new Map<string, Known>();
let resting: ReturnType<typeof setTimeout> | undefined;

/** Loads what the page of a skill needs, when a pointer or the focus rests on its row. */
export function preloadSkill(listed: ListedSkill): void {
  clearTimeout(resting);
  keep(listed.id, { listed });
  resting = setTimeout(() => {
    // The page meets a failure again.
    readSkill(listed.id).catch(() => undefined);
    void preloadParser();
  }, REST_MS);
}

export function listedSkill(id: string): ListedSkill | undefined {
  return known.get(id)?.listed;
}

/** @throws FleetError */
export function readSkill(id: string): Promise<Skill> {
  const record = known.get(id)?.record;
  if (record && performance.now() - record.at < MAX_AGE_MS) return record.loading;
  const loading = fleet.get('/api/skills/{skill_id}', { params: { path: { skill_id: id } } }).then(({ data }) => data);
  keep(id, { record: { loading, at: performance.now() } });
  loading.catch(() => keep(id, { record: undefined }));
  return loading;
}

function keep(id: string, part: Known): void {
  const before = known.get(id);
  known.delete(id);
  known.set(id, { ...before, ...part });
  const [oldest] = known.keys();
  if (known.size > KEPT && oldest !== undefined) known.delete(oldest);
}

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
