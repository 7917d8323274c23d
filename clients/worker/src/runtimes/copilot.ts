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
  definitions: { hasEffort: true, holds: ({ tool }) => tool === 'Bash' || tool === 'Edit' },
  provider: providerOf,

  async prepare({ folders, skills, instructions, servers }) {
    await setAside(folders, PROJECT_FILES);
    // Over the protocol it takes no time limit.
    const listed = servers.map(({ name, ...server }) => [
      name,
      { type: 'http', ...server, tools: ['*'], timeout: MAX_ASK_MS },
    ]);
    const mcpServers = Object.fromEntries(listed);
    await writeHomeFile(folders, [HOME, 'mcp-config.json'], JSON.stringify({ mcpServers }));
    await writeHomeFile(folders, [HOME, 'copilot-instructions.md'], instructions ?? '');
    await writeHomeFile(folders, [HOME, 'settings.json'], JSON.stringify({ autoUpdate: false, banner: 'never' }));
    await linkSkills(folders, [HOME, 'skills'], skills);
    // 240 MB.
    await shareFolder(folders, ['.cache', 'copilot', 'pkg']);
  },

  command({ folders, model, endpoint, permissions, effort, servers, rules }) {
    const provider = providerOf(model);
    return {
      args: [
        '--acp',
        '--no-auto-update',
        // With rules it asks for all, and the worker permits the rest.
        ...(permissions === 'full' && rules.restrictions.length === 0 ? ['--allow-all-tools'] : []),
        ...(permissions === 'full' ? ['--allow-all-paths'] : []),
        ...(effort === undefined ? [] : [`--reasoning-effort=${effort}`]),
        ...servers.map(({ name }) => `--allow-tool=${name}`),
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

  connect: (process, job) => connectAcp(process, { ...job, servers: [] }, { ownWords: OWN_WORDS }),
};

/** Anthropic's for its models, else OpenAI's: those are what it speaks. */
function providerOf(model: string | undefined): Provider {
  return model === undefined || model.startsWith('claude') ? 'anthropic' : 'openai';
}
