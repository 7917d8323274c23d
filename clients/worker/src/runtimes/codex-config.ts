import type { HiddenPaths } from './hidden-paths.ts';
import type { RuntimeJob } from './runtime.ts';

/** The variable with the key of the endpoint. */
export const KEY_VARIABLE = 'FLEET_MODEL_KEY';

/** Features that reach out of the attempt: servers and programs that no task asked for, and hooks. */
const DISABLED_FEATURES = [
  'apps',
  'browser_use',
  'computer_use',
  'daemon_auto_start',
  'hooks',
  'in_app_browser',
  'plugins',
  'remote_plugin',
  'skill_mcp_dependency_install',
  'tool_suggest',
];

/**
 * Codex's `config.toml`. What each permission allows its commands:
 * - `read-only`: to read, but neither attempts that were there at its start nor the worker's home; no network.
 * - `edit`: also to write in the workspace, without its `.git`, and in the temporary folder.
 * - `full`: anything, as the user of the worker.
 */
export function configOf(job: RuntimeJob, hidden: HiddenPaths): string {
  const { model, endpoint, permissions } = job;
  return [
    ...(model === undefined ? [] : [pair('model', model)]),
    ...(endpoint === undefined ? [] : [pair('model_provider', 'fleet')]),
    pair('approval_policy', 'never'),
    pair('default_permissions', permissions === 'full' ? ':danger-full-access' : 'fleet'),
    // A login shell replaces PATH.
    'allow_login_shell = false',
    'check_for_update_on_startup = false',
    pair('cli_auth_credentials_store', 'file'),
    ...table('history', [pair('persistence', 'none')]),
    ...table('analytics', ['enabled = false']),
    ...table('feedback', ['enabled = false']),
    ...table(
      'features',
      DISABLED_FEATURES.map((feature) => `${feature} = false`),
    ),
    ...table('shell_environment_policy', [pair('inherit', 'all'), `exclude = ["${KEY_VARIABLE}"]`]),
    ...(endpoint === undefined ? [] : table('model_providers.fleet', providerOf(endpoint.baseUrl))),
    ...(permissions === 'full' ? [] : sandboxOf(permissions, hidden)),
    '',
  ].join('\n');
}

const providerOf = (baseUrl: string) => [
  pair('name', 'fleet'),
  pair('base_url', `${baseUrl}/v1`),
  pair('wire_api', 'responses'),
  pair('env_key', KEY_VARIABLE),
  // Its own retries; a task has attempts.
  'request_max_retries = 3',
  'stream_max_retries = 3',
];

/** Whole folders: below a hidden one Codex shows only what is writable, and its own helpers are in the home. */
function sandboxOf(permissions: 'read-only' | 'edit', { otherAttempts, home }: HiddenPaths): string[] {
  const isEdit = permissions === 'edit';
  return [
    ...table('permissions.fleet', [pair('extends', isEdit ? ':workspace' : ':read-only')]),
    ...table('permissions.fleet.filesystem', [
      ...[...otherAttempts, ...home].map((path) => pair(path, 'deny')),
      // All users of the machine share it.
      ...(isEdit ? [pair(':slash_tmp', 'read')] : []),
    ]),
  ];
}

const table = (name: string, lines: readonly string[]) => ['', `[${name}]`, ...lines];

/** A string of JSON is one of TOML, but for DEL. */
const text = (value: string) => JSON.stringify(value).replaceAll('\u007f', '\\u007f');

const pair = (key: string, value: string) => `${/^\w+$/.test(key) ? key : text(key)} = ${text(value)}`;
