import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { writeFiles } from '@agent-fleet/scripts/testing/skill-repository';
import type { SkillsContext } from '../../../src/skills/scope.ts';

/** A folder with `project` and `home` in it, that is removed after the test. */
export class Workspace {
  readonly root = ownFolder();
  readonly project = join(this.root, 'project');
  readonly home = join(this.root, 'home');

  constructor() {
    for (const folder of [this.project, this.home]) mkdirSync(folder);
  }

  /** Environment of a user of this workspace, without settings of Git. */
  get env(): NodeJS.ProcessEnv {
    return { PATH: process.env.PATH, HOME: this.home, GIT_CONFIG_NOSYSTEM: '1' };
  }

  context(overrides: Partial<SkillsContext> = {}): SkillsContext {
    return {
      cwd: this.project,
      env: this.env,
      fetch,
      registry: () => {
        throw new Error('no registry is used here');
      },
      progress: () => {},
      warn: () => {},
      ...overrides,
    };
  }

  path(path: string): string {
    return join(this.root, path);
  }

  read(path: string): string {
    return readFileSync(this.path(path), 'utf8');
  }

  write(files: Record<string, string | Buffer>, below = ''): string {
    writeFiles(this.path(below), files);
    return this.path(below);
  }

  lock(path = 'project/skills-lock.json') {
    return JSON.parse(this.read(path)) as { version: number; skills: Record<string, Record<string, unknown>> };
  }

  /** Everything below a folder: contents of files, targets of links. */
  snapshot(below = ''): Record<string, string> {
    const found: Record<string, string> = {};
    const visit = (path: string) => {
      const whole = this.path(path);
      const stats = lstatSync(whole);
      if (stats.isSymbolicLink()) found[path] = `-> ${readlinkSync(whole)}`;
      else if (stats.isFile()) found[path] = readFileSync(whole, 'latin1');
      else if (stats.isDirectory()) {
        found[`${path}/`] = '';
        for (const name of readdirSync(whole)) visit(join(path, name));
      } else found[path] = 'special';
    };
    visit(below);
    return found;
  }
}
