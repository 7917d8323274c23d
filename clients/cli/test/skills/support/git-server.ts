import { startGitServer as startServer } from '@agent-fleet/scripts/testing/git-server';
import { own } from '@agent-fleet/scripts/testing/own';
import { commitFiles as commit } from '@agent-fleet/scripts/testing/skill-repository';
import type { Workspace } from './workspace.ts';

/** Writes files into a repository of the workspace, which is created if it is missing, and commits them. */
export function commitFiles(workspace: Workspace, name: string, files: Record<string, string | Buffer>): string {
  return commit(workspace.path(name), files);
}

/** Serves the repositories of a workspace until the test ends. */
export async function startGitServer(workspace: Workspace, options?: { status?: number }) {
  const server = await startServer(workspace.root, options);
  own(server.close);
  return server;
}
