import { join } from 'node:path';
import type { Task } from '@agent-fleet/sdk';
import { ATTEMPT_MARK } from '../processes/marked-processes.ts';
import type { AttemptFolders, Provider } from '../runtimes/runtime.ts';
import { traceparentOf } from '../task.ts';

/** What an agent has of the worker's own environment. No proxies: their URLs may have passwords. */
const ALLOWED = /^(PATH|LANG|LANGUAGE|LC_[A-Z]+|TZ|SHELL|USER|LOGNAME|SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS)$/;
const LOOPBACK = '127.0.0.1,localhost,::1';

/** The variables with the key and the base URL of a provider. */
export const PROVIDER_VARIABLES: Record<Provider, { key: string; baseUrl: string }> = {
  anthropic: { key: 'ANTHROPIC_API_KEY', baseUrl: 'ANTHROPIC_BASE_URL' },
  openai: { key: 'OPENAI_API_KEY', baseUrl: 'OPENAI_BASE_URL' },
  google: { key: 'GEMINI_API_KEY', baseUrl: 'GOOGLE_GEMINI_BASE_URL' },
};

/** Credentials of providers under all names that programs read. */
export const PROVIDER_KEYS: ReadonlySet<string> = new Set([
  ...Object.values(PROVIDER_VARIABLES).map(({ key }) => key),
  'ANTHROPIC_AUTH_TOKEN',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CODEX_API_KEY',
  'GOOGLE_API_KEY',
]);

const LOOKS_SECRET = /KEY|TOKEN|SECRET|PASS|PWD|CREDENTIAL|AUTH|COOKIE|SESSION|DSN|PROXY|_URL$/i;

export interface EnvironmentOptions {
  /** The worker's own environment. */
  from: NodeJS.ProcessEnv;
  /** Names of variables that the user passes on. */
  passed: readonly string[];
  task: Pick<Task, 'id' | 'agent_id'> & Partial<Pick<Task, 'traceparent'>>;
  attempt: number;
  folders: Pick<AttemptFolders, 'home' | 'tmp'>;
  mark: string;
}

/** The environment of an attempt, built from nothing: what a model's shell shows, it may send anywhere. */
export function buildEnvironment({ from, passed, task, attempt, folders, mark }: EnvironmentOptions) {
  const allowed = Object.entries(from).filter(([name]) => ALLOWED.test(name) || passed.includes(name));
  const { home, tmp } = folders;
  const traceparent = traceparentOf(task);
  return {
    ...Object.fromEntries(allowed.filter((entry): entry is [string, string] => entry[1] !== undefined)),
    ...(passed.some((name) => /_proxy$/i.test(name)) && { NO_PROXY: LOOPBACK, no_proxy: LOOPBACK }),
    TERM: 'dumb',
    NO_COLOR: '1',
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local/share'),
    XDG_STATE_HOME: join(home, '.local/state'),
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_RUNTIME_DIR: tmp,
    TMPDIR: tmp,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: 'Agent Fleet',
    GIT_AUTHOR_EMAIL: 'agent@fleet.invalid',
    GIT_COMMITTER_NAME: 'Agent Fleet',
    GIT_COMMITTER_EMAIL: 'agent@fleet.invalid',
    FLEET_TASK_ID: task.id,
    FLEET_AGENT_ID: task.agent_id,
    FLEET_ATTEMPT: String(attempt),
    ...(traceparent !== undefined && { TRACEPARENT: traceparent }),
    [ATTEMPT_MARK]: mark,
  } satisfies Record<string, string>;
}

/** Values of the worker's environment that no output may show: credentials, also those that are passed on. */
export function secretsOf(from: NodeJS.ProcessEnv, passed: readonly string[]): string[] {
  const names = ['FLEET_API_KEY', ...PROVIDER_KEYS, ...passed.filter((name) => LOOKS_SECRET.test(name))];
  return names.map((name) => from[name] ?? '').filter((value) => value !== '');
}
