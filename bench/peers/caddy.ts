import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '@agent-fleet/scripts/local/ports';
import type { Part, Stage } from '../stage/stage.ts';
import { findProgram } from './programs.ts';

const CADDY = findProgram('caddy');
export const hasCaddy = CADDY !== undefined;

/**
 * Caddy as a plain proxy on one thread, with 64 kept-alive connections; its default of 32 would reopen half of them.
 */
export async function startCaddy(stage: Stage, name: string, target: number, ready: Part['ready']): Promise<number> {
  const port = await freePort();
  const file = join(stage.dir, `${name}.Caddyfile`);
  await writeFile(
    file,
    `{
	admin off
	auto_https off
}
http://:${port} {
	bind 127.0.0.1
	reverse_proxy 127.0.0.1:${target} {
		transport http {
			keepalive_idle_conns_per_host 64
		}
	}
}
`,
  );
  const args = ['run', '--config', file, '--adapter', 'caddyfile'];
  const env = { GOMAXPROCS: '1', HOME: stage.dir, XDG_DATA_HOME: stage.dir, XDG_CONFIG_HOME: stage.dir };
  await stage.start({ name, command: CADDY ?? 'caddy', args, env, port, ready });
  return port;
}
