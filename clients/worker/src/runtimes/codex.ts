import { join } from 'node:path';
import {
  findHiddenPaths,
  type HiddenPaths,
  homeFiles,
  linkSkills,
  MAX_ASK_MS,
  setAside,
  writeHomeFile,
} from './attempt-files.ts';
import { CodexSession } from './codex/session.ts';
import { type JsonObject, objectOf, objectsOf } from './json.ts';
import type { Rule } from './rules.ts';
import type { AttemptFolders, McpServer, Runtime, RuntimeJob } from './runtime.ts';
import { createSession } from './session/program-session.ts';

const homeOf = ({ home }: AttemptFolders) => join(home, 'codex');
/** Of a repository. It tells the model of their skills, even in a folder that it does not trust. */
const PROJECT_FILES = ['.agents', '.codex'];

/** Codex, over `codex app-server`. */
export const codex: Runtime = {
  name: 'codex',
  agentType: 'gpt',
  program: 'codex',
  // Its protocol is experimental: each version is tried before it gets in here.
  versions: { from: '0.171.0', before: '0.172.0' },
  accepts: ['messages', 'steer', 'interrupt', 'input'],
  hasQuestions: true,
  definitions: { hasEffort: true, holds: (rule) => prefixOf(rule) !== undefined },
  provider: () => 'openai',

  async prepare(job) {
    const { folders, skills } = job;
    await setAside(folders, PROJECT_FILES);
    await writeHomeFile(folders, ['codex', 'config.toml'], configOf(job, await findHiddenPaths(folders)));
    await writeHomeFile(folders, ['codex', 'rules', 'fleet.rules'], rulesOf(job));
    await linkSkills(folders, ['codex', 'skills'], skills);
  },

  command({ folders, endpoint }) {
    const env = { CODEX_HOME: homeOf(folders), ...(endpoint && { [KEY_VARIABLE]: endpoint.key }) };
    return { args: ['app-server'], env };
  },

  connect(process, job) {
    const schema = job.outputSchema;
    const outputSchema = isStrictSchema(schema) ? schema : undefined;
    return createSession(
      process,
      job,
      new CodexSession(process, { ...job, outputSchema, hasOutput: schema !== undefined }),
    );
  },

  sessionFiles: ({ folders }, session) =>
    homeFiles(folders, 'codex/sessions', (path) => path.endsWith(`-${session}.jsonl`)),
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
  const { model, endpoint, permissions, approvals, folders, instructions, effort, rules } = job;
  const isAsking = approvals === 'ask' && (permissions !== 'full' || rules.restrictions.length > 0);
  return [
    ...(model === undefined ? [] : [pair('model', model)]),
    ...(effort === undefined ? [] : [pair('model_reasoning_effort', effort)]),
    ...(instructions ? [pair('developer_instructions', instructions)] : []),
    ...(endpoint === undefined ? [] : [pair('model_provider', 'fleet')]),
    // What leaves the sandbox asks.
    pair('approval_policy', isAsking ? 'on-request' : 'never'),
    pair('default_permissions', permissions === 'full' ? ':danger-full-access' : 'fleet'),
    // A login shell replaces PATH.
    'allow_login_shell = false',
    'check_for_update_on_startup = false',
    'suppress_unstable_features_warning = true',
    pair('cli_auth_credentials_store', 'file'),
    ...table('history', [pair('persistence', 'none')]),
    ...table('analytics', ['enabled = false']),
    ...table('feedback', ['enabled = false']),
    ...table('features', [
      ...DISABLED_FEATURES.map((feature) => `${feature} = false`),
      'default_mode_request_user_input = true',
    ]),
    // Else Codex trusts the folder, and starts the servers that the repository names.
    ...table(`projects.${text(folders.workspace)}`, [pair('trust_level', 'untrusted')]),
    ...table('shell_environment_policy', [pair('inherit', 'all'), `exclude = ["${KEY_VARIABLE}"]`]),
    ...(endpoint === undefined ? [] : table('model_providers.fleet', providerOf(endpoint.baseUrl))),
    ...(permissions === 'full' ? [] : sandboxOf(permissions, hidden)),
    ...job.servers.flatMap(serverOf),
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

function serverOf({ name, url, headers }: McpServer): string[] {
  const seconds = MAX_ASK_MS / 1000;
  return [
    ...table(`mcp_servers.${text(name)}`, [pair('url', url), pair('default_tools_approval_mode', 'approve')]),
    `tool_timeout_sec = ${seconds}`,
    ...table(
      `mcp_servers.${text(name)}.http_headers`,
      Object.entries(headers).map(([header, value]) => pair(header, value)),
    ),
  ];
}

/** Codex goes by the first words of each command of a script. Nobody is asked where nobody may permit it. */
function rulesOf({ rules, approvals }: RuntimeJob): string {
  const toLine = (decision: string) => (rule: Rule) =>
    `prefix_rule(pattern=${JSON.stringify(prefixOf(rule))}, decision=${text(decision)})\n`;
  const commands = ({ tool }: Rule) => tool === 'Bash';
  const asked = rules.ask.filter(commands).map(toLine(approvals === 'ask' ? 'prompt' : 'forbidden'));
  return [...rules.deny.filter(commands).map(toLine('forbidden')), ...asked].join('');
}

/** The words of a rule on commands, which may hold more of them than the rule is for; undefined for what has none. */
function prefixOf({ tool, pattern = '' }: Rule): string[] | undefined {
  const words = pattern.replace(/ \*$/, '');
  return tool === 'Bash' && /^[\w./:=@%+,-]+(?: [\w./:=@%+,-]+)*$/.test(words) ? words.split(' ') : undefined;
}

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
