import { type GitOptions, runGit as run } from '@agent-fleet/skills/git-command';

/**
 * What a repository sends is checked, and written as it is. Its own configuration is never read: the folders that Git
 * is given are ours.
 */
const SETTINGS: readonly string[] = [
  'core.untrackedCache=false',
  'core.attributesFile=/dev/null',
  'core.autocrlf=false',
  'core.quotePath=false',
  'core.protectHFS=true',
  'core.protectNTFS=true',
  'transfer.fsckObjects=true',
  // Old mistakes of programs in the history of honest repositories.
  'fetch.fsck.zeroPaddedFilemode=ignore',
  'fetch.fsck.missingSpaceBeforeDate=ignore',
  'fetch.fsck.badTimezone=ignore',
  'transfer.bundleURI=false',
  'submodule.recurse=false',
  'http.followRedirects=false',
  'http.lowSpeedLimit=1000',
  'http.lowSpeedTime=60',
];

/** Runs Git with the settings for repositories of tasks. @throws GitError */
export function runGit(args: readonly string[], options: GitOptions): Promise<Buffer> {
  return run(args, { ...options, settings: SETTINGS });
}
