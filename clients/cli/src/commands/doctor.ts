import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { relativeTime } from '@agent-fleet/sdk/words';
import { findOnPath, RUNTIMES } from '@agent-fleet/worker';
import type { Command } from 'commander';
import { type Act, type Context, VERSION } from '../context.ts';
import { EXIT, type ExitCode } from '../errors.ts';
import { readSession } from '../lookup.ts';

/** `none`: a runtime that is not here, which no machine needs all of. */
const STYLES = { ok: 'green', none: 'gray', warn: 'yellow', fail: 'red' } as const;
/** Tokens and schedules are wrong by as much. */
const MAX_SKEW_SECONDS = 30;

/** `text`: what was found, and what to do about it. */
function found(name: string, state: keyof typeof STYLES, text: string) {
  return { name, state, text };
}

type Check = ReturnType<typeof found>;

async function doctor(context: Context): Promise<ExitCode | undefined> {
  const programs = Object.keys(RUNTIMES).map((name) => checkProgram(context, name as keyof typeof RUNTIMES));
  const checks = [...(await checkFleet(context)), ...(await Promise.all(programs))];
  const ok = checks.every(({ state }) => state !== 'fail');
  context.out.record({ url: context.connection().url, ok, checks }, () =>
    checks.map(({ name, state, text }) => {
      return { style: STYLES[state], text: state.padEnd(6), rest: `${name.padEnd(13)}${text}` };
    }),
  );
  return ok ? undefined : EXIT.failed;
}

async function checkFleet(context: Context): Promise<Check[]> {
  const { url } = context.connection();
  const began = Date.now();
  try {
    const { data, response } = await context.connect({ url, retries: 0 }).get('/openapi.json', context);
    const ms = Date.now() - began;
    const skew = Math.round((began + ms / 2 - Date.parse(response.headers.get('date') ?? '')) / 1_000);
    const isRight = !(Math.abs(skew) > MAX_SKEW_SECONDS);
    const { version } = data.info;
    const update = `, the fleet ${version}: npx --package ${url}/download/fleet.tgz#${version} fleet`;
    return [
      found('address', 'ok', `${url} responds after ${ms} ms`),
      found('clock', isRight ? 'ok' : 'warn', isRight ? 'is right' : `${skew} s before the fleet's: set it by NTP`),
      version === VERSION ? found('version', 'ok', VERSION) : found('version', 'warn', VERSION + update),
      await checkCredentials(context),
    ];
  } catch (error) {
    const problem = `${(error as Error).message}; is the fleet there? --url or FLEET_URL names another address`;
    return [found('address', 'fail', `${url}: ${problem}`)];
  }
}

async function checkCredentials({ connection, fleet, signal }: Context): Promise<Check> {
  const { source } = connection();
  const signIn = 'sign in with fleet login, or set FLEET_API_KEY';
  if (source === 'no credentials') return found('credentials', 'warn', `none: ${signIn}`);
  try {
    const { user, role, scopes, expires_at } = await readSession(fleet(), signal);
    const end = expires_at ? `expires ${relativeTime(expires_at)}` : 'never expires';
    return found('credentials', 'ok', `${user} by ${source}, ${role ?? 'API key'} (${scopes.join(', ')}), ${end}`);
  } catch (error) {
    return found('credentials', 'fail', `${source}: ${(error as Error).message}; ${signIn}`);
  }
}

async function checkProgram({ env, signal }: Context, name: keyof typeof RUNTIMES): Promise<Check> {
  const { program } = RUNTIMES[name];
  const path = findOnPath(program, env.PATH ?? '');
  if (path === undefined) return found(name, 'none', `no ${program} on PATH, which --runtime ${name} needs`);
  const version = await promisify(execFile)(path, ['--version'], { signal, timeout: 5_000 }).catch(() => undefined);
  if (version === undefined) return found(name, 'warn', `${path} --version fails: install it again`);
  return found(name, 'ok', `${path}, ${version.stdout.trim().split('\n')[0]}`);
}

export function registerDoctor(command: Command, act: Act): void {
  command.action(act(doctor));
}
