import { join } from 'node:path';
import { exactJson } from '@agent-fleet/sdk/exact-json';
import { signalGroup } from '../processes/marked-processes.ts';
import {
  findHiddenPaths,
  type HiddenPaths,
  linkSkills,
  setAside,
  withFilesBack,
  writeHomeFile,
} from './attempt-files.ts';
import { CodexReader } from './codex-events.ts';
import { eventsOf, type JsonObject, objectOf, objectsOf } from './json.ts';
import type { AttemptFolders, Runtime, RuntimeJob } from './runtime.ts';

const homeOf = ({ home }: AttemptFolders) => join(home, 'codex');
const SCHEMA_FILE = 'fleet-schema.json';
/** Of a repository. It tells the model of their skills, even in a folder that it does not trust. */
const PROJECT_FILES = ['.agents', '.codex'];

/** Codex, over the JSON lines of `codex exec`. */
export const codex: Runtime = {
  name: 'codex',
  agentType: 'gpt',
  program: 'codex',
  versions: { from: '0.169.0', before: '0.180.0' },
  accepts: [],
  provider: () => 'openai',

  async prepare(job) {
    const { folders, skills, outputSchema } = job;
    await setAside(folders, PROJECT_FILES);
    await writeHomeFile(folders, ['codex', 'config.toml'], configOf(job, await findHiddenPaths(folders)));
    await writeHomeFile(folders, ['codex', SCHEMA_FILE], exactJson.stringify(outputSchema ?? {}));
    await linkSkills(folders, ['codex', 'skills'], skills);
  },

  command({ folders, outputSchema, session, endpoint }) {
    const args = ['exec', '--json', '--skip-git-repo-check', '--color=never', `--cd=${folders.workspace}`];
    if (isStrictSchema(outputSchema)) args.push(`--output-schema=${join(homeOf(folders), SCHEMA_FILE)}`);
    // The prompt is on stdin.
    if (session === undefined) args.push('-');
    else args.push('resume', '--', session, '-');
    return { args, env: { CODEX_HOME: homeOf(folders), ...(endpoint && { [KEY_VARIABLE]: endpoint.key }) } };
  },

  connect(process, job) {
    process.stdin.end(job.prompt);
    return {
      events: withFilesBack(eventsOf(process, new CodexReader(job)), job.folders),
      // The program may be a script that starts the real one.
      cancel: () => signalGroup(process.child.pid, 'SIGTERM'),
    };
  },
};

/** The variable with the key of the endpoint. */
const KEY_VARIABLE = 'FLEET_MODEL_KEY';

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
function configOf(job: RuntimeJob, hidden: HiddenPaths): string {
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

/** Keywords of OpenAI's strict mode that this check knows; with any other the API refuses the call. */
const KEYWORDS =
  /^(?:type|properties|required|additionalProperties|items|enum|const|anyOf|title|description|minimum|maximum)$/;

/**
 * Whether OpenAI's API takes the schema as it is: of all objects every property is required and none is additional. Not
 * more than is certain: an output is validated in any case.
 */
function isStrictSchema(schema: JsonObject | undefined): boolean {
  return schema !== undefined && isStrictObject(withoutDraft(schema));
}

const withoutDraft = ({ $schema, ...schema }: JsonObject) => schema;

function isStrictObject(schema: JsonObject): boolean {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const isClosed = schema.type === 'object' && schema.additionalProperties === false;
  const properties = objectOf(schema.properties);
  return isClosed && Object.keys(properties).every((name) => required.includes(name)) && isStrict(schema);
}

function isStrict(schema: JsonObject): boolean {
  if (Object.keys(schema).length === 0 || !Object.keys(schema).every((keyword) => KEYWORDS.test(keyword))) return false;
  const { type, items, anyOf, properties } = schema;
  if (type === 'array' && items === undefined) return false;
  const isOpen = properties !== undefined && type !== 'object';
  const parts = [...(items === undefined ? [] : [objectOf(items)]), ...objectsOf(anyOf)];
  parts.push(...Object.values(objectOf(properties)).map(objectOf));
  return !isOpen && parts.every((part) => (part.type === 'object' ? isStrictObject(part) : isStrict(part)));
}
