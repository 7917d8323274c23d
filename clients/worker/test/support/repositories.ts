import { join } from 'node:path';
import { type GitServer, startGitServer } from '@agent-fleet/scripts/testing/git-server';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { commitFiles, git as runGit } from '@agent-fleet/scripts/testing/skill-repository';
import { beforeEach } from '@jest/globals';
import { changesOf, prepareWorkspace } from '../../src/workspace/git-workspace.ts';

export const git = (folder: string, ...args: string[]) => runGit(folder, ...args).trim();

type Options = Partial<Parameters<typeof prepareWorkspace>[0]>;

/** A folder with repositories that a real Git server serves, and with what the clones need; it ends with the test. */
export class Repositories {
  root = '';
  server: GitServer = { url: '', requests: [] };
  #clones = 0;

  constructor() {
    beforeEach(async () => {
      this.root = ownFolder();
      this.server = await startGitServer(this.root);
    });
  }

  get cache(): string {
    return join(this.root, 'cache');
  }

  path(name: string): string {
    return join(this.root, name);
  }

  url(name = 'repo'): string {
    return `${this.server.url}/${name}/.git`;
  }

  /** Writes files into a repository, which is created if it is missing. Returns the commit. */
  commit(files: Record<string, string | Buffer>, name = 'repo'): string {
    return commitFiles(this.path(name), files);
  }

  /** Clones into a new folder. */
  async clone(ref?: string | null, options: Options = {}) {
    const folder = this.path(`attempt-${++this.#clones}/workspace`);
    const env = { PATH: process.env.PATH, HOME: this.path('home') };
    const { cache } = this;
    const clone = await prepareWorkspace({
      workspace: { repository: this.url(), ref },
      folder,
      cache,
      allowed: [this.server.url],
      signal: new AbortController().signal,
      env,
      ...options,
    });
    const changes = (signal = new AbortController().signal) => changesOf(clone, { folder, cache, env, signal });
    return { folder, workspace: { clone, changes } };
  }
}
