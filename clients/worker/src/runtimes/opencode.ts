import { join } from 'node:path';
import { homeFiles, linkSkills, MAX_ASK_MS, setAside, writeHomeFile } from './attempt-files.ts';
import { OpencodeServer } from './opencode/server.ts';
import { OpencodeSession } from './opencode/session.ts';
import type { Rule } from './rules.ts';
import type { Provider, Runtime, RuntimeJob } from './runtime.ts';
import { createSession } from './session/program-session.ts';

const CONFIG = ['.config', 'opencode'];
const INSTRUCTIONS_FILE = 'fleet-instructions.md';
const DATA = '.local/share/opencode';
const DATABASE = /\/opencode\.db(?:-wal)?$/;
/** opencode fetches this from npm into its folder of settings, unless a lock file says that it is there. */
const PLUGINS = { packages: { '': { dependencies: { '@opencode-ai/plugin': '*' } } } };
/** Of a repository. It runs their plugins, even with OPENCODE_DISABLE_PROJECT_CONFIG and `--pure`. */
const PROJECT_FILES = ['.opencode', 'opencode.json', 'opencode.jsonc'];
/** The path of each provider's API, which opencode expects in its base URL. */
const API_PATHS: Record<Provider, string> = { anthropic: '/v1', openai: '/v1', google: '/v1beta' };

/** opencode, over `opencode serve`. Models are `<provider>/<model>`; without a provider, Anthropic's. */
export const opencode: Runtime = {
  name: 'opencode',
  agentType: undefined,
  program: 'opencode',
  versions: { from: '1.18.0', before: '1.19.0' },
  accepts: ['messages', 'steer', 'interrupt', 'input'],
  hasQuestions: true,
  definitions: { hasEffort: false, holds: (rule) => permissionNameOf(rule) !== undefined },
  provider: providerOf,

  async prepare(job) {
    const { folders, skills } = job;
    await setAside(folders, PROJECT_FILES);
    await writeHomeFile(folders, [...CONFIG, 'opencode.json'], JSON.stringify(configOf(job)));
    await writeHomeFile(folders, [...CONFIG, 'package-lock.json'], JSON.stringify(PLUGINS));
    await writeHomeFile(folders, [...CONFIG, 'node_modules', '.package-lock.json'], '{}');
    await writeHomeFile(folders, [...CONFIG, INSTRUCTIONS_FILE], job.instructions ?? '');
    await linkSkills(folders, [...CONFIG, 'skills'], skills);
  },

  command({ folders, endpoint }) {
    return {
      args: ['serve', '--pure', '--hostname=127.0.0.1', '--port=0'],
      env: {
        // Keeps other users and attempts out. Commands of the agent see it: they have no sandbox in any case.
        OPENCODE_SERVER_PASSWORD: endpoint?.key ?? '',
        OPENCODE_CONFIG_DIR: join(folders.home, ...CONFIG),
        OPENCODE_ENABLE_QUESTION_TOOL: '1',
        // Settings, commands and skills of the repository are then left alone.
        OPENCODE_DISABLE_PROJECT_CONFIG: '1',
        OPENCODE_DISABLE_EXTERNAL_SKILLS: '1',
        OPENCODE_DISABLE_CLAUDE_CODE: '1',
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
      },
    };
  },

  connect(process, job) {
    const server = new OpencodeServer(process, job.endpoint?.key ?? '');
    const session = new OpencodeSession(server, job);
    return createSession(process, job, session, { lines: session.lines(), end: () => server.close() });
  },

  sessionFiles: ({ folders }) => homeFiles(folders, DATA, (path) => DATABASE.test(path)),
};

function providerOf(model: string | undefined): Provider {
  const [provider] = model?.split('/') ?? [];
  return provider === 'openai' || provider === 'google' ? provider : 'anthropic';
}

function configOf(job: RuntimeJob) {
  const { model, endpoint, folders, instructions, servers } = job;
  const listed = servers.map(({ name, url, headers }) => [
    name,
    { type: 'remote', url, headers, oauth: false, timeout: MAX_ASK_MS },
  ]);
  const provider = providerOf(model);
  const options = endpoint && { baseURL: `${endpoint.baseUrl}${API_PATHS[provider]}`, apiKey: endpoint.key };
  return {
    autoupdate: false,
    share: 'disabled',
    enabled_providers: [provider],
    provider: { [provider]: { options: { ...options } } },
    ...(model !== undefined && { model: model.includes('/') ? model : `${provider}/${model}` }),
    ...(instructions && { instructions: [join(folders.home, ...CONFIG, INSTRUCTIONS_FILE)] }),
    mcp: Object.fromEntries(listed),
    permission: withRules(permissionOf(job), job),
  };
}

/** What opencode calls the tool of a rule. */
const permissionNameOf = ({ tool }: Rule) =>
  /^(?:Bash|Edit|Read|Glob|Grep|Skill|Task|WebFetch|WebSearch)$/.test(tool) ? tool.toLowerCase() : undefined;

type Permission = Record<string, string | Record<string, string>>;

/** The last pattern that matches counts: denials come last. */
function withRules(given: Permission, { rules, approvals, servers }: RuntimeJob): Permission {
  const permission = { ...given };
  const add = (decision: string) => (rule: Rule) => {
    const name = permissionNameOf(rule);
    if (name === undefined) return;
    const known = permission[name] ?? permission['*'] ?? 'allow';
    const patterns = typeof known === 'string' ? { '*': known } : known;
    const pattern = rule.pattern?.replace(/^domain:(.*)/, '*://$1*') ?? '*';
    permission[name] = { ...patterns, [pattern]: decision };
  };
  rules.ask.forEach(add(approvals));
  rules.deny.forEach(add('deny'));
  return { ...permission, ...Object.fromEntries(servers.map(({ name }) => [`${name}_*`, 'allow'])) };
}

function permissionOf({ permissions, folders, approvals }: RuntimeJob): Permission {
  if (permissions === 'full') return { '*': 'allow' };
  const own = Object.fromEntries([folders.skills, folders.tmp].map((folder) => [`${folder}/**`, 'allow']));
  const outside = { external_directory: { '*': approvals, ...own } };
  if (permissions === 'edit') return { '*': 'allow', ...outside, doom_loop: 'deny' };
  const reads = ['read', 'list', 'glob', 'grep', 'skill', 'todowrite', 'question'].map((name) => [name, 'allow']);
  return { '*': approvals, ...Object.fromEntries(reads), ...outside };
}
