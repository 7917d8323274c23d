import { join } from 'node:path';
import { connectAcp } from './acp/session.ts';
import { homeFiles, linkSkills, MAX_ASK_MS, setAside, shareFolder, writeHomeFile } from './attempt-files.ts';
import type { Provider, Runtime } from './runtime.ts';

const HOME = '.copilot';
const DEFAULT_MODEL = 'claude-sonnet-4-5';
/** Of a repository: skills, servers and hooks, which it takes from a folder that nobody has trusted. */
const PROJECT_FILES = [
  '.agents',
  '.claude',
  '.copilot',
  '.mcp.json',
  '.github/agents',
  '.github/copilot',
  '.github/hooks',
  '.github/mcp.json',
  '.github/skills',
  '.vscode/mcp.json',
];
/** What it says by itself among the words of the model. */
const OWN_WORDS = /^(?:Info|Warning|Error): /;

/** GitHub Copilot CLI with a provider's key of one's own, over the Agent Client Protocol. */
export const copilot: Runtime = {
  name: 'copilot',
  agentType: undefined,
  program: 'copilot',
  versions: { from: '1.0.100', before: '1.1.0' },
  accepts: ['messages', 'interrupt', 'input'],
  provider: providerOf,

  async prepare({ folders, skills, questions }) {
    await setAside(folders, PROJECT_FILES);
    // Over the protocol it takes no time limit.
    const fleet = questions && { type: 'http', ...questions, tools: ['*'], timeout: MAX_ASK_MS };
    const servers = JSON.stringify({ mcpServers: { ...(fleet && { fleet }) } });
    await writeHomeFile(folders, [HOME, 'mcp-config.json'], servers);
    await writeHomeFile(folders, [HOME, 'settings.json'], JSON.stringify({ autoUpdate: false, banner: 'never' }));
    await linkSkills(folders, [HOME, 'skills'], skills);
    // 240 MB.
    await shareFolder(folders, ['.cache', 'copilot', 'pkg']);
  },

  command({ folders, model, endpoint, permissions }) {
    const provider = providerOf(model);
    return {
      args: [
        '--acp',
        '--no-auto-update',
        ...(permissions === 'full' ? ['--allow-all-tools', '--allow-all-paths'] : []),
      ],
      env: {
        COPILOT_HOME: join(folders.home, HOME),
        COPILOT_OFFLINE: 'true',
        COPILOT_AUTO_UPDATE: 'false',
        COPILOT_PROVIDER_TYPE: provider,
        ...(provider === 'openai' && { COPILOT_PROVIDER_WIRE_API: 'responses' }),
        ...(endpoint && {
          COPILOT_PROVIDER_BASE_URL: provider === 'openai' ? `${endpoint.baseUrl}/v1` : endpoint.baseUrl,
          COPILOT_PROVIDER_API_KEY: endpoint.key,
        }),
        // It has no default for a provider that is not GitHub.
        COPILOT_MODEL: model ?? DEFAULT_MODEL,
      },
    };
  },

  sessionFiles: ({ folders }, session) => homeFiles(folders, join(HOME, 'session-state', session), () => true),

  connect: (process, job) => connectAcp(process, { ...job, questions: undefined }, { ownWords: OWN_WORDS }),
};

/** Anthropic's for its models, else OpenAI's: those are what it speaks. */
function providerOf(model: string | undefined): Provider {
  return model === undefined || model.startsWith('claude') ? 'anthropic' : 'openai';
}
