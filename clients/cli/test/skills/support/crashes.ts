import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { REVIEW, skillFile } from '@agent-fleet/scripts/testing/skill-repository';
import { expect } from '@jest/globals';
import { LockFile } from '../../../src/skills/install/lock-file.ts';
import { changeSkills } from '../../../src/skills/install/transaction.ts';
import { addSkill } from '../../../src/skills/operations/add.ts';
import { listInstalled } from '../../../src/skills/operations/installed.ts';
import { verifySkills } from '../../../src/skills/operations/verify.ts';
import { toScope } from '../../../src/skills/scope.ts';
import { Workspace } from './workspace.ts';

const PROGRAM = join(import.meta.dirname, 'skills-program.ts');
const CHANGED = { 'SKILL.md': skillFile('review', 'Reviews more.'), 'new.md': 'new\n' };

/** Runs a command in a process that is killed at its `step`th change of the file system; whether it lived. */
function runUntilKilled(workspace: Workspace, step: number, ...args: string[]): Promise<boolean> {
  const child = spawn(process.execPath, [PROGRAM, workspace.project, ...args], {
    env: { ...workspace.env, KILL_AT_STEP: `${step}` },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  return new Promise((resolve, reject) => {
    child.on('close', (code, signal) => {
      if (signal === 'SIGKILL') resolve(false);
      else if (code === 0) resolve(true);
      else reject(new Error(said));
    });
  });
}

interface Crash {
  /** Brings the project to where the command starts. */
  before: (workspace: Workspace) => Promise<unknown>;
  command: string[];
}

const AGENTS = ['-a', 'claude-code', '-a', 'goose'];
export const CRASHES: Record<string, Crash> = {
  'a first addition': { before: async (w) => addSkill(w.context(), w.path('other'), {}), command: ['add', '../skill'] },
  'an update': {
    before: async (w) => {
      await addSkill(w.context(), w.path('skill'), { agent: ['claude-code'] });
      await addSkill(w.context(), w.path('skill'), { agent: ['goose'], copy: true });
      w.write(CHANGED, 'skill');
    },
    command: ['update'],
  },
  'a removal': {
    before: async (w) => {
      await addSkill(w.context(), w.path('skill'), { agent: ['claude-code'] });
      await addSkill(w.context(), w.path('skill'), { agent: ['goose'], copy: true });
    },
    command: ['remove', 'review'],
  },
};

/**
 * Kills a command at every `stride`th change of the file system. After each kill, and perhaps one of what puts things
 * right, there is the old or the new state in full.
 */
export async function expectOldOrNew({ before, command }: Crash, stride: number, killsAgain = false): Promise<void> {
  const open = async () => {
    const workspace = new Workspace();
    workspace.write(REVIEW, 'skill');
    workspace.write({ 'SKILL.md': skillFile('other') }, 'other');
    await before(workspace);
    return workspace;
  };
  const args = command[0] === 'add' ? [...command, ...AGENTS] : command;
  const whole = await open();
  const old = whole.snapshot('project');
  expect(await runUntilKilled(whole, Number.MAX_SAFE_INTEGER, ...args)).toBe(true);
  const states = [old, whole.snapshot('project')];
  const seen = new Set<number>();
  for (let step = 1; ; step += stride) {
    const workspace = await open();
    const lived = await runUntilKilled(workspace, step, ...args);
    if (killsAgain && !lived) await runUntilKilled(workspace, 1 + (step % 9), 'list');
    // Empty folders for skills may be there already.
    for (const folder of ['.claude', '.claude/skills', '.goose', '.goose/skills']) {
      const path = `project/${folder}/`;
      if (!(path in old) && existsSync(workspace.path(path))) (states[0] as Record<string, string>)[path] = '';
    }
    const sorted = states.map((state) => Object.fromEntries(Object.entries(state).sort()));
    const found = Object.fromEntries(Object.entries(await settled(workspace)).sort());
    const at = sorted.findIndex((state) => JSON.stringify(state) === JSON.stringify(found));
    if (at < 0) expect(found).toEqual(sorted[1]);
    seen.add(at);
    if (lived) break;
  }
  expect([...seen].sort()).toEqual([0, 1]);
}

/** The project after another command has run. */
async function settled(workspace: Workspace): Promise<Record<string, string>> {
  const context = workspace.context();
  const listed = await listInstalled(context, false);
  expect(listed.filter(({ state }) => state !== 'ok')).toEqual([]);
  expect((await verifySkills(context, [], {})).filter(({ ok }) => !ok)).toEqual([]);
  // The next command that changes something takes over the mutex.
  const scope = toScope(context, false);
  await changeSkills(scope, new LockFile(scope), {}, () => {});
  return workspace.snapshot('project');
}
