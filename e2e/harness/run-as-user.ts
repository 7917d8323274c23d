import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '@agent-fleet/scripts/services';
import type { Api } from './api.ts';

/** Longer than a command of a page is silent, also on a slow machine. */
const SILENCE_MS = 60_000;

interface UserOptions {
  /** Folders in front of the PATH. */
  path?: readonly string[];
  env?: NodeJS.ProcessEnv;
}

/** What a page of Markdown shows after `$ `, in its order. */
export function commandsOf(page: string): string[] {
  return [...page.matchAll(/^\$ (.*)$/gm)].map(([, command = '']) => command);
}

/** The fenced blocks of a language of a page of Markdown, in their order. */
export function blocksOf(page: string, language: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, block = '']) => block);
}

/**
 * Runs commands in a folder that looks like the repository: its `.data` has the address of this fleet and its
 * credentials. They have a home of their own. Resolves with their stdout. @throws if one of them fails, or is silent
 * for a minute; the message has the commands up to there
 */
export async function runAsUser(
  api: Api,
  commands: string,
  { path = [], env = {} }: UserOptions = {},
): Promise<string> {
  const parent = mkdtempSync(join(tmpdir(), 'fleet-quick-start-'));
  const folder = join(parent, 'agent-fleet');
  try {
    mkdirSync(join(folder, '.data'), { recursive: true });
    writeFileSync(join(folder, '.data/credentials.env'), credentialsOf(api));
    for (const name of ['package.json', 'node_modules', 'clients']) symlinkSync(join(ROOT, name), join(folder, name));
    const ended = promisify(execFile)('/bin/sh', ['-exc', commands], {
      cwd: folder,
      env: {
        PATH: [...path, join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter),
        HOME: parent,
        ...env,
      },
      maxBuffer: 64 * 1024 * 1024,
    });
    const { child } = ended;
    const streams = [child.stdout, child.stderr];
    const silence = setTimeout(() => {
      child.kill();
      for (const stream of streams) stream?.destroy();
    }, SILENCE_MS);
    for (const stream of streams) stream?.on('data', () => silence.refresh());
    const { stdout } = await ended.finally(() => clearTimeout(silence));
    return stdout;
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

function credentialsOf({ baseUrl, admin, apiKey }: Api): string {
  return `ADMIN_EMAIL=${admin.email}\nADMIN_PASSWORD='${admin.password}'\nAPI_KEYS=e2e:${apiKey}\nFLEET_URL=${baseUrl}\n`;
}
