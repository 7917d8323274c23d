import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import type { Registry } from '@agent-fleet/skills/registry';
import { SkillError, usageError } from '@agent-fleet/skills/skill-error';
import agents from './agents.json' with { type: 'json' };

/** Where all skills are, relative to the project or the home folder. */
const SHARED_FOLDER = '.agents/skills';

/** As in version 1.7.4 of the `skills` package, which a test compares. */
const { ownFolders, userFolders, folderVariables, ...rest } = agents;
/** Agents that read the shared folder. */
export const SHARING_AGENTS: readonly string[] = rest.sharing;
/** Agents with a folder of their own, and that folder in a project. */
export const OWN_FOLDERS: Readonly<Record<string, string>> = ownFolders;
/** Folders of the user that differ from those of a project. */
const USER_FOLDERS: Readonly<Record<string, string>> = userFolders;
/** Variables that name the folder of an agent, which has `skills` in it. */
const FOLDER_VARIABLES: Readonly<Record<string, string>> = folderVariables;
const IN_CONFIGURATION: ReadonlySet<string> = new Set(['devin', 'goose']);

/** Where skills are installed: the project in a folder, or the home folder of the user. */
export interface Scope {
  /** Absolute, without links. */
  root: string;
  isGlobal: boolean;
  env: NodeJS.ProcessEnv;
}

/** A folder with skills: `root` exists or may be created; nothing of `path` below it may lead out of it. */
export interface Base {
  root: string;
  /** Relative to `root`. */
  path: string;
  agents: string[];
}

export function sharedBase({ root }: Scope): Base {
  return { root, path: SHARED_FOLDER, agents: [] };
}

/** The folders of all agents that have one of their own. */
export function ownBases(scope: Scope): Base[] {
  const bases = new Map<string, Base>();
  for (const agent of Object.keys(OWN_FOLDERS)) {
    const base = ownBase(scope, agent);
    if (base === undefined) continue;
    const key = join(base.root, base.path);
    const known = bases.get(key);
    if (known) known.agents.push(agent);
    else bases.set(key, base);
  }
  return [...bases.values()];
}

/**
 * The agent's own folder; undefined if it reads the shared one, or has none for the user.
 * @throws SkillError for an unknown agent
 */
export function ownBase({ root, isGlobal, env }: Scope, agent: string): Base | undefined {
  if (SHARING_AGENTS.includes(agent)) return undefined;
  const path = Object.hasOwn(OWN_FOLDERS, agent) ? (OWN_FOLDERS[agent] as string) : undefined;
  if (path === undefined) {
    const agents = [...SHARING_AGENTS, ...Object.keys(OWN_FOLDERS)].sort();
    throw usageError(`${agent} is not an agent that is known here`, `Known are ${agents.join(', ')}.`);
  }
  if (!isGlobal) return { root, path, agents: [agent] };
  if (agent === 'eve') return undefined;
  const folder = env[FOLDER_VARIABLES[agent] ?? '']?.trim();
  if (folder) return within(root, join(folder, 'skills'), agent);
  const configuration = IN_CONFIGURATION.has(agent) ? env.XDG_CONFIG_HOME?.trim() : undefined;
  if (configuration) return within(root, join(configuration, agent, 'skills'), agent);
  return { root, path: USER_FOLDERS[agent] ?? path, agents: [agent] };
}

/** A folder that a variable names may be outside the home folder; then it is its own root. */
function within(root: string, path: string, agent: string): Base {
  const below = relative(root, path);
  const isBelow = below !== '' && !below.startsWith('..');
  return isBelow ? { root, path: below, agents: [agent] } : { root: join(path, '..'), path: 'skills', agents: [agent] };
}

/** What the commands on skills need of the program. */
export interface SkillsContext {
  cwd: string;
  env: NodeJS.ProcessEnv;
  fetch: typeof fetch;
  signal?: AbortSignal;
  registry(): Registry;
  /** Asks the user to choose one of several; undefined if nobody can be asked. */
  choose?(message: string, options: readonly { value: string; label: string }[]): Promise<string>;
  /** Says what takes a while. */
  progress(text: string): void;
  warn(text: string): void;
}

/** @throws SkillError if the folder does not exist */
export function toScope({ cwd, env }: SkillsContext, isGlobal: boolean): Scope {
  const folder = isGlobal ? env.HOME || homedir() : cwd;
  try {
    return { root: realpathSync(folder), isGlobal, env };
  } catch (error) {
    throw new SkillError(`The folder ${folder} does not exist`, 'Change to another folder.', 'failed', error);
  }
}
