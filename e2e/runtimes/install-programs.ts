import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '@agent-fleet/scripts/services';
import { readCommand } from '@agent-fleet/scripts/testing/command';

/** Not the product's: they are not in its lock file, and in none of its images. */
const FOLDER = join(ROOT, '.data/runtimes');
const FILES = ['package.json', 'package-lock.json'] as const;
const INSTALL_MS = 300_000;

/**
 * Installs the pinned versions of the open-source agents, once for a lock file. Returns the folder of their programs,
 * or undefined with a line in the log where there is no network; in CI that is an error.
 */
export async function installPrograms(): Promise<string | undefined> {
  const [, lock] = FILES.map((name) => fileURLToPath(new URL(`programs/${name}`, import.meta.url)));
  const wanted = readFileSync(lock as string, 'utf8');
  const stamp = join(FOLDER, 'installed');
  try {
    if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
      mkdirSync(FOLDER, { recursive: true });
      for (const name of FILES) cpSync(fileURLToPath(new URL(`programs/${name}`, import.meta.url)), join(FOLDER, name));
      const options = { cwd: FOLDER, timeoutMs: INSTALL_MS };
      await readCommand('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], options);
      // It puts the program for this platform in its place; the scripts of the others build what no test needs.
      await readCommand('node', ['node_modules/opencode-ai/postinstall.mjs'], options);
      writeFileSync(stamp, wanted);
    }
    return join(FOLDER, 'node_modules/.bin');
  } catch (error) {
    if (process.env.CI) throw error;
    console.info(`Omitted: the real runtimes, which cannot be installed: ${error}`);
    return undefined;
  }
}
