import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import type { Registry } from '@agent-fleet/skills/registry';
import { SkillError } from '@agent-fleet/skills/skill-error';
import type { Scope } from './agents.ts';

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
