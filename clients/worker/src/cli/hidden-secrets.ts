import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Names the file that the secrets pass through. */
const FILE = 'FLEET_WORKER_SECRETS_FILE';
const NO_DEBUGGER = '--disable-sigusr1';
const SECRET = /KEY|TOKEN|SECRET|PASS|CREDENTIAL/i;
/** A URL with credentials, under whatever name. */
const SECRET_URL = /:\/\/[^/\s@]+@/;
const FOLDER = 'fleet-worker-secrets-';
/** A restart takes less; what is older is of a worker that was killed in it. */
const MAX_AGE_MS = 60_000;

/** Puts the secrets of a restart back into the environment of this process, for its own code. To be called first. */
export function takeSecrets(): void {
  const file = process.env[FILE];
  if (file === undefined) return;
  delete process.env[FILE];
  Object.assign(process.env, JSON.parse(readFileSync(file, 'utf8')));
  rmSync(dirname(file), { recursive: true, force: true });
}

/**
 * Starts this program again, in the same process, with no secret in the environment that it starts with: Linux shows
 * that one to all processes of the same user, and so to agents, whatever is changed later. Returns if there is none, or
 * where Node cannot replace its process.
 */
export function restartWithoutSecrets(): void {
  const names = secretsAtStart();
  if (names.length === 0 || typeof process.execve !== 'function') return;
  const secrets = names.map((name) => [name, process.env[name]]);
  removeLeftFiles();
  const file = join(mkdtempSync(join(tmpdir(), FOLDER)), 'secrets.json');
  writeFileSync(file, JSON.stringify(Object.fromEntries(secrets)), { mode: 0o600 });
  const kept = Object.entries(process.env).filter(([name]) => !names.includes(name));
  const env = { ...(Object.fromEntries(kept) as Record<string, string>), [FILE]: file };
  // SIGUSR1 of an agent would open a debugger, which reads everything.
  const isKnown = process.allowedNodeEnvironmentFlags.has(NO_DEBUGGER);
  const flags = [...process.execArgv, ...(isKnown ? [NO_DEBUGGER] : [])];
  process.removeAllListeners('warning');
  process.execve(process.execPath, [process.execPath, ...flags, ...process.argv.slice(1)], env);
}

/** Of others, if the system lets this user delete them. */
function removeLeftFiles(): void {
  for (const name of readdirSync(tmpdir()).filter((each) => each.startsWith(FOLDER))) {
    const folder = join(tmpdir(), name);
    try {
      if (Date.now() - statSync(folder).mtimeMs > MAX_AGE_MS) rmSync(folder, { recursive: true, force: true });
    } catch {
      // It is gone, or another user's.
    }
  }
}

/** Names of the secrets that `/proc` shows of this process. */
function secretsAtStart(): string[] {
  try {
    const entries = readFileSync('/proc/self/environ', 'utf8').split('\0');
    const names = entries.map((entry) => entry.slice(0, entry.indexOf('=')));
    const isSecret = (name: string) => SECRET.test(name) || SECRET_URL.test(process.env[name] ?? '');
    return names.filter((name) => name !== FILE && process.env[name] !== undefined && isSecret(name));
  } catch {
    return [];
  }
}
