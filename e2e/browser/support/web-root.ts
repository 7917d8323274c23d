import { join } from 'node:path';
import { ROOT } from '@agent-fleet/scripts/services';
import { readCommand } from '@agent-fleet/scripts/testing/command';
import type { LocalFleetOptions } from '../../harness/local-fleet.ts';

const BUILD = join(ROOT, 'clients/web/scripts/build.ts');

/**
 * The folder of the built pages; `WEB_ROOT` names another one. An earlier build of the same sources is found again, and
 * several test files may build at the same time.
 */
export async function buildWebRoot(): Promise<string> {
  const { WEB_ROOT } = process.env;
  return WEB_ROOT || (await readCommand(process.execPath, [BUILD])).trim();
}

/** Options of a fleet whose gateway serves the pages, unless it has others. */
export async function withPages({ env, ...options }: LocalFleetOptions = {}): Promise<LocalFleetOptions> {
  const WEB_ROOT = env?.gateway?.WEB_ROOT ?? (await buildWebRoot());
  return { ...options, env: { ...env, gateway: { ...env?.gateway, WEB_ROOT } } };
}
