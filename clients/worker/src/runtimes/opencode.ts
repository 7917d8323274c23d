import { join } from 'node:path';
import { connectAcp } from './acp/connect.ts';
import { linkSkills, setAside, withFilesBack, writeHomeFile } from './attempt-files.ts';
import type { AttemptFolders, Permissions, Provider, Runtime, RuntimeJob } from './runtime.ts';

const CONFIG = '.opencode';
/** Of a repository. It runs their plugins, even with OPENCODE_DISABLE_PROJECT_CONFIG and `--pure`. */
const PROJECT_FILES = ['.opencode', 'opencode.json', 'opencode.jsonc'];
/** The path of each provider's API, which opencode expects in its base URL. */
const API_PATHS: Record<Provider, string> = { anthropic: '/v1', openai: '/v1', google: '/v1beta' };

/** opencode, over the Agent Client Protocol. Models are `<provider>/<model>`; without a provider, Anthropic's. */
export const opencode: Runtime = {
  name: 'opencode',
  agentType: undefined,
  program: 'opencode',
  versions: { from: '1.18.0', before: '1.19.0' },
  accepts: [],
  provider: providerOf,

  async prepare(job) {
    await setAside(job.folders, PROJECT_FILES);
    await writeHomeFile(job.folders, [CONFIG, 'opencode.json'], JSON.stringify(configOf(job)));
    await linkSkills(job.folders, [CONFIG, 'skills'], job.skills);
  },

  command({ folders }) {
    return {
      args: ['acp', '--pure'],
      env: {
        OPENCODE_CONFIG_DIR: join(folders.home, CONFIG),
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
    const session = connectAcp(process, job);
    return { ...session, events: withFilesBack(session.events, job.folders) };
  },
};

function providerOf(model: string | undefined): Provider {
  const [provider] = model?.split('/') ?? [];
  return provider === 'openai' || provider === 'google' ? provider : 'anthropic';
}

function configOf({ model, endpoint, folders, permissions }: RuntimeJob) {
  const provider = providerOf(model);
  const options = endpoint && { baseURL: `${endpoint.baseUrl}${API_PATHS[provider]}`, apiKey: endpoint.key };
  return {
    autoupdate: false,
    share: 'disabled',
    enabled_providers: [provider],
    provider: { [provider]: { options: { ...options } } },
    ...(model !== undefined && { model: model.includes('/') ? model : `${provider}/${model}` }),
    permission: permissionOf(permissions, folders),
  };
}

/** What is `ask` comes over the protocol, and is answered there. */
function permissionOf(permissions: Permissions, { skills, tmp }: AttemptFolders) {
  if (permissions === 'full') return { '*': 'allow' };
  const own = Object.fromEntries([skills, tmp].map((folder) => [`${folder}/**`, 'allow']));
  const outside = { external_directory: { '*': 'ask', ...own } };
  if (permissions === 'edit') return { '*': 'allow', ...outside, doom_loop: 'deny' };
  const reads = Object.fromEntries(
    ['read', 'list', 'glob', 'grep', 'skill', 'todowrite'].map((name) => [name, 'allow']),
  );
  return { '*': 'deny', ...reads, ...outside };
}
