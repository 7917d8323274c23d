import { rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { connectAcp } from './acp/session.ts';
import { homeFiles, linkSkills, writeHomeFile } from './attempt-files.ts';
import type { AttemptFolders, Permissions, Runtime } from './runtime.ts';

/** Without an endpoint: a `.env` of the repository could set the variables. */
const NOWHERE = { baseUrl: 'http://127.0.0.1:9', key: 'none' };

/** Gemini CLI, over the Agent Client Protocol. */
export const gemini: Runtime = {
  name: 'gemini',
  agentType: 'gemini',
  program: 'gemini',
  versions: { from: '0.61.0', before: '0.70.0' },
  accepts: ['messages', 'interrupt', 'input'],
  provider: () => 'google',

  async prepare({ folders, permissions, skills, session }) {
    await writeHomeFile(folders, ['.gemini', 'settings.json'], JSON.stringify(settingsOf(permissions)));
    await linkSkills(folders, ['.gemini', 'skills'], skills);
    if (session !== undefined) await ageSession(folders, session);
  },

  command({ folders, model, endpoint = NOWHERE }) {
    return {
      // Other modes are for trusted folders only: permissions are asked for over the protocol.
      args: ['--acp', '--approval-mode=default', ...(model === undefined ? [] : [`--model=${model}`])],
      env: {
        GEMINI_CLI_HOME: folders.home,
        GEMINI_API_KEY: endpoint.key,
        GOOGLE_GEMINI_BASE_URL: endpoint.baseUrl,
        // Settings, hooks, MCP servers, skills, commands and `.env` of the repository are then left alone. Of an
        // untrusted folder's `.env` four variables are read: what is set here wins.
        GEMINI_CLI_TRUST_WORKSPACE: 'false',
        GOOGLE_API_KEY: '',
        GOOGLE_CLOUD_PROJECT: '',
        GOOGLE_CLOUD_LOCATION: '',
      },
    };
  },

  connect: (process, job) =>
    connectAcp(process, job, { isHarmless: (toolCallId) => toolCallId.startsWith('activate_skill_') }),
};

function settingsOf(permissions: Permissions) {
  return {
    // Enabled, it would refuse to run in a folder that is not trusted.
    security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
    // Ten by default, with growing pauses: more than five minutes.
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: 3 },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    advanced: { ignoreLocalEnv: true },
    // Some commands would run without a question.
    ...(permissions === 'read-only' && { tools: { exclude: ['run_shell_command', 'write_file', 'replace'] } }),
  };
}

/**
 * A conversation is in a file named by its minute and the begin of its id. A session that is loaded within that minute
 * would begin the file anew, and find nothing in it.
 */
async function ageSession(folders: AttemptFolders, session: string): Promise<void> {
  for (const path of await homeFiles(folders, '.gemini/tmp', (file) => dirname(file).endsWith('/chats'))) {
    const [, id] = /^session-\d{4}-\d\d-\d\dT\d\d-\d\d-(\w+)\.jsonl$/.exec(basename(path)) ?? [];
    if (id === undefined || !session.startsWith(id)) continue;
    const file = join(folders.home, path);
    await rename(file, join(dirname(file), `session-2000-01-01T00-00-${id}.jsonl`));
  }
}
