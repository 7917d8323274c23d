import { execFileSync } from 'node:child_process';
import { startGitServer as startServer } from '@agent-fleet/scripts/testing/git-server';
import { afterEach } from '@jest/globals';
import type { Workspace } from './workspace.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const AUTHOR = ['-c', 'user.email=author@example.com', '-c', 'user.name=Author', '-c', 'core.autocrlf=false'];

export function git(folder: string, ...args: string[]): string {
  return execFileSync('git', ['-C', folder, ...AUTHOR, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Writes files into a repository of the workspace, which is created if it is missing, and commits them. */
export function commitFiles(workspace: Workspace, name: string, files: Record<string, string | Buffer>): string {
  const folder = workspace.write(files, name);
  git(folder, 'init', '--quiet', '--initial-branch=main');
  git(folder, 'config', 'uploadpack.allowFilter', 'true');
  git(folder, 'add', '--all', '--force', '.');
  git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'Change');
  return git(folder, 'rev-parse', 'HEAD').trim();
}

/** Serves the repositories of a workspace until the test ends. */
export async function startGitServer(workspace: Workspace, options?: { status?: number }) {
  const server = await startServer(workspace.root, options);
  closing.push(server.close);
  return server;
}
