import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '@agent-fleet/scripts/services';
import type { Api } from './api.ts';

const TIMEOUT_MS = 150_000;

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
 * credentials. They have a home of their own. Resolves with their stdout. @throws if one of them fails
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
    const { stdout } = await promisify(execFile)('/bin/sh', ['-ec', commands], {
      cwd: folder,
      env: {
        PATH: [...path, join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter),
        HOME: parent,
        ...env,
      },
      timeout: TIMEOUT_MS,
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout;
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

function credentialsOf({ baseUrl, admin, apiKey }: Api): string {
  return `ADMIN_EMAIL=${admin.email}\nADMIN_PASSWORD='${admin.password}'\nAPI_KEYS=e2e:${apiKey}\nFLEET_URL=${baseUrl}\n`;
}
