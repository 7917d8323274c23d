import { rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { connectAcp } from './acp/session.ts';
import { homeFiles, linkSkills, MAX_ASK_MS, setAside, writeHomeFile } from './attempt-files.ts';
import type { Rule } from './rules.ts';
import type { AttemptFolders, Runtime, RuntimeJob } from './runtime.ts';

/** Without an endpoint: a `.env` of the repository could set the variables. */
const NOWHERE = { baseUrl: 'http://127.0.0.1:9', key: 'none' };
const INSTRUCTIONS_FILE = 'fleet-instructions.md';
/** Of a repository: settings, hooks, servers, policies, skills and commands. */
const PROJECT_FILES = ['.agents', '.gemini', INSTRUCTIONS_FILE];

/** What it runs without asking, and patterns that begin with any text. */
const UNASKED =
  /^(?:\S*\*|(?:base64|cat|cd|cut|echo|expr|false|find|grep|head|id|ls|nl|numfmt|paste|pwd|rev|rg|sed|seq|stat|tac|tail|tr|true|uname|uniq|wc|which|whoami)(?: |$)|git(?:$| (?:status|log|diff|show|branch|\S*\*)))/;

const holds = ({ tool, pattern }: Rule) =>
  tool === 'Edit' || (tool === 'Bash' && pattern !== undefined && !UNASKED.test(pattern));

/** Gemini CLI, over the Agent Client Protocol. */
export const gemini: Runtime = {
  name: 'gemini',
  agentType: 'gemini',
  program: 'gemini',
  versions: { from: '0.61.0', before: '0.70.0' },
  accepts: ['messages', 'interrupt', 'input'],
  definitions: { hasEffort: false, holds },
  provider: () => 'google',

  async prepare(job) {
    const { folders, skills, session } = job;
    await setAside(folders, PROJECT_FILES);
    await writeHomeFile(folders, ['.gemini', 'settings.json'], JSON.stringify(settingsOf(job)));
    await writeHomeFile(folders, ['.gemini', INSTRUCTIONS_FILE], job.instructions ?? '');
    // Else it looks for one in all folders above the workspace, the worker's home among them.
    await writeHomeFile({ ...folders, home: folders.root }, ['.gemini', '.env'], '');
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
        // In a folder that is not trusted it connects to no MCP server, the worker's neither.
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
        GOOGLE_API_KEY: '',
        GOOGLE_CLOUD_PROJECT: '',
        GOOGLE_CLOUD_LOCATION: '',
      },
    };
  },

  connect: (process, job) =>
    connectAcp(
      process,
      { ...job, servers: [] },
      { isHarmless: (toolCallId) => toolCallId.startsWith('activate_skill_') },
    ),
};

function settingsOf({ permissions, approvals, servers }: RuntimeJob) {
  const listed = servers.map(({ name, url, headers }) => [
    name,
    { httpUrl: url, headers, timeout: MAX_ASK_MS, trust: true },
  ]);
  return {
    security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
    // Ten by default, with growing pauses: more than five minutes.
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: 3 },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    advanced: { ignoreLocalEnv: true },
    // Not the repository's `GEMINI.md`.
    context: { fileName: INSTRUCTIONS_FILE },
    // Over the protocol it takes no time limit.
    mcpServers: Object.fromEntries(listed),
    // Some commands would run without a question.
    ...(permissions === 'read-only' && {
      tools: { exclude: ['run_shell_command', ...(approvals === 'ask' ? [] : ['write_file', 'replace'])] },
    }),
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
