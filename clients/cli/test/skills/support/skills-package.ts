import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify, stripVTControlCharacters } from 'node:util';
import type { Workspace } from './workspace.ts';

const CLI = join(fileURLToPath(import.meta.resolve('skills/package.json')), '../bin/cli.mjs');

/** Runs the command-line program of the `skills` package in the project; it reaches this machine only. */
export async function runSkillsPackage(workspace: Workspace, ...args: string[]): Promise<string> {
  const proxies = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:9', HTTPS_PROXY: 'http://127.0.0.1:9' };
  const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...args], {
    cwd: workspace.project,
    timeout: 60_000,
    env: { ...workspace.env, ...proxies, NO_PROXY: '127.0.0.1', DISABLE_TELEMETRY: '1', CI: '1' },
  });
  return stripVTControlCharacters(stdout);
}
