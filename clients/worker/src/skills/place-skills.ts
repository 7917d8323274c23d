import { hash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SkillTree } from '@agent-fleet/skills/content/skill-tree';
import { TaskError } from '../errors.ts';
import { type FetchedSkill, fetchSkill, unverified, type WantedSkill } from './fetch-skill.ts';

const MAX_SKILLS = 16;
const MAX_NAME_LENGTH = 64;
/** Of all skills of a task together. */
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;
const TOO_MUCH = `is too much: the skills of a task have at most ${MAX_TOTAL_BYTES / 1024 / 1024} MiB together`;
const DEADLINE_MS = 60_000;
/** Names of settings that Git needs of the worker's environment; keys of providers stay out of it. */
const GIT_VARIABLE = /^(?:PATH|HOME|USER|LANG|TMPDIR|XDG_CONFIG_HOME|SSH_AUTH_SOCK|SSL_CERT_\w+|GIT_\w+|\w+_proxy)$/i;

/** `verified`: what cannot be verified is refused. `any`: it is placed and reported. `off`: tasks with skills fail. */
export type SkillsMode = 'verified' | 'any' | 'off';

/** A skill as a task names it; `digest` is `sha256:` and 64 hex digits, of the exact bytes of its SKILL.md. */
export type NamedSkill = string | { id: string; digest: string };

/** A skill in the folder, as a result reports it. */
export interface PlacedSkill {
  id: string;
  /** Of its folder. */
  name: string;
  /** `sha256:` and 64 hex digits, of the exact bytes of its SKILL.md. */
  digest: string;
  verified: boolean;
}

export interface PlaceSkillsOptions {
  skills: readonly NamedSkill[];
  /** Of the attempt: each skill is a new folder in it. Created if it is missing. */
  folder: string;
  /** The fleet. */
  registryUrl: string;
  mode: SkillsMode;
  signal: AbortSignal;
  /** For the registry, not for repositories. */
  headers?: Record<string, string>;
  /** Of the worker, default that of the process. */
  env?: NodeJS.ProcessEnv;
  /** For all skills together, default 60,000. */
  timeoutMs?: number;
}

/**
 * Fetches the skills of a task, checks them, and writes them as `<folder>/<name>/SKILL.md` and what is beside it. All
 * are checked before the first is written.
 * @throws TaskError `skill_unverified`, retryable if a host did not respond; the reason of `signal`; errors of the file
 * system, after which the folder is not complete
 */
export async function placeSkills(options: PlaceSkillsOptions): Promise<PlacedSkill[]> {
  const { skills, folder, mode } = options;
  if (skills.length === 0) return [];
  if (mode === 'off') throw refusal('This worker takes no skills (--skills off), and the task names some');
  const fetched = await fetchAll(toWanted(skills), options);
  const names = toFolderNames(fetched);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [at, skill] of fetched.entries()) write(join(folder, names[at] as string), skill);
  return fetched.map(({ id, digest, verified }, at) => ({ id, name: names[at] as string, digest, verified }));
}

/** Each id once: one that is named again adds its pin. */
function toWanted(skills: readonly NamedSkill[]): WantedSkill[] {
  const wanted = new Map<string, Set<string>>();
  for (const skill of skills) {
    const { id, digest } = typeof skill === 'string' ? { id: skill, digest: undefined } : skill;
    const digests = wanted.get(id) ?? new Set();
    if (digest !== undefined) digests.add(digest);
    wanted.set(id, digests);
  }
  if (wanted.size > MAX_SKILLS) throw refusal(`The task names ${wanted.size} skills, and may name ${MAX_SKILLS}`);
  return [...wanted].map(([id, digests]) => ({ id, digests }));
}

/** One after another: skills of one repository share it. */
async function fetchAll(wanted: readonly WantedSkill[], options: PlaceSkillsOptions): Promise<FetchedSkill[]> {
  const { registryUrl, mode, signal, headers, env = process.env, timeoutMs = DEADLINE_MS } = options;
  const deadline = AbortSignal.timeout(timeoutMs);
  const url = registryUrl.replace(/\/+$/, '');
  const trees = new Map<string, Promise<SkillTree>>();
  const gitEnv = Object.fromEntries(Object.entries(env).filter(([name]) => GIT_VARIABLE.test(name)));
  const registry = { url, fetch, headers, signal: AbortSignal.any([signal, deadline]) };
  const fetched: FetchedSkill[] = [];
  let left = MAX_TOTAL_BYTES;
  try {
    for (const skill of wanted) {
      const found = await fetchSkill(skill, { registry, isStrict: mode === 'verified', env: gitEnv, trees });
      left -= found.files.reduce((sum, { bytes }) => sum + bytes.length, 0);
      if (left < 0) throw unverified(skill.id, { reason: TOO_MUCH });
      fetched.push(found);
    }
    return fetched;
  } catch (error) {
    signal.throwIfAborted();
    if (!deadline.aborted) throw error;
    throw refusal(`The skills were not fetched in ${timeoutMs / 1_000} s`, { retryable: true, cause: error });
  } finally {
    for (const tree of await Promise.allSettled(trees.values())) if (tree.status === 'fulfilled') tree.value.close();
  }
}

/** Valid names of skills, so none leads elsewhere; what has the name of another gets a number. */
function toFolderNames(skills: readonly FetchedSkill[]): string[] {
  const taken = new Set<string>();
  for (const { id, name = toName(id) } of skills) {
    let free = name;
    for (let number = 2; taken.has(free); number++) {
      const end = `-${number}`;
      free = `${name.slice(0, MAX_NAME_LENGTH - end.length).replace(/-$/, '')}${end}`;
    }
    taken.add(free);
  }
  return [...taken];
}

function toName(id: string): string {
  const words =
    id
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  const name = words.join('-').slice(0, MAX_NAME_LENGTH).replace(/-$/, '');
  return name || `skill-${hash('sha256', id).slice(0, 8)}`;
}

/** New files only: nothing is followed or replaced. */
function write(folder: string, { files }: FetchedSkill): void {
  mkdirSync(folder, { mode: 0o700 });
  for (const { path, bytes, executable } of files) {
    const whole = join(folder, path);
    mkdirSync(dirname(whole), { recursive: true, mode: 0o700 });
    writeFileSync(whole, bytes, { flag: 'wx', mode: executable ? 0o700 : 0o600 });
  }
}

function refusal(message: string, options: { retryable?: boolean; cause?: unknown } = {}): TaskError {
  return new TaskError(message, { code: 'skill_unverified', retryable: false, ...options });
}
