import { basename, join } from 'node:path';
import { exactJson } from '@agent-fleet/sdk/exact-json';
import { findHiddenPaths, homeFiles, linkSkills, writeHomeFile } from './attempt-files.ts';
import { ClaudeConversation } from './claude-events.ts';
import type { AttemptFolders, Permissions, Runtime, RuntimeJob } from './runtime.ts';
import { createSession } from './session/program-session.ts';

/**
 * What each permission allows:
 * - `read-only`: the tools that read, in the workspace and the skills. There is no shell, so nothing can write.
 * - `edit`: also the tools that write there, and commands in Claude Code's sandbox: without a network, with the
 *   workspace and the temporary folder as all that is writable, and without the files of other tasks and the worker's
 *   home. The sandbox needs bubblewrap and socat on Linux; without them most commands are denied.
 * - `full`: anything, as the user of the worker.
 */
const MODES: Record<Permissions, { mode: string; tools: string }> = {
  'read-only': { mode: 'manual', tools: 'Read,Glob,Grep,Skill,Task,TodoWrite,AskUserQuestion' },
  edit: {
    mode: 'acceptEdits',
    tools: 'Bash,Read,Edit,Write,NotebookEdit,Glob,Grep,Skill,Task,TodoWrite,AskUserQuestion',
  },
  full: {
    mode: 'bypassPermissions',
    tools: 'Bash,Read,Edit,Write,NotebookEdit,Glob,Grep,Skill,Task,TodoWrite,AskUserQuestion,WebFetch,WebSearch',
  },
};

const ENVIRONMENT = {
  // Its own retries take minutes; a task has attempts.
  CLAUDE_CODE_MAX_RETRIES: '3',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_ERROR_REPORTING: '1',
  DISABLE_TELEMETRY: '1',
  // `@path` in a message reads a file without a permission.
  CLAUDE_CODE_DISABLE_FILE_MENTIONS: '1',
  CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
  CLAUDE_CODE_DISABLE_CRON: '1',
  // TodoWrite has the whole list in each call.
  CLAUDE_CODE_ENABLE_TODO_TOOLS: '1',
  CLAUDE_CODE_ENABLE_TASKS: '0',
};

/** Below the home. */
const CONFIG = 'claude';
const PLUGIN = 'fleet-plugin';
const SETTINGS_FILE = 'fleet-settings.json';
const SERVERS_FILE = 'fleet-servers.json';
const INSTRUCTIONS_FILE = 'fleet-instructions.md';

/** Claude Code, over its JSON lines in both directions. */
export const claudeCode: Runtime = {
  name: 'claude-code',
  agentType: 'claude',
  program: 'claude',
  versions: { from: '2.1.330', before: '2.2.0' },
  accepts: ['messages', 'steer', 'interrupt', 'input'],
  hasQuestions: true,
  definitions: { hasEffort: true, holds: () => true },
  provider: () => 'anthropic',

  async prepare({ folders, permissions, skills, instructions, servers }) {
    const settings = JSON.stringify(await settingsOf(folders, permissions));
    await writeHomeFile(folders, [CONFIG, SETTINGS_FILE], settings);
    const manifest = JSON.stringify({ name: 'fleet', description: 'Skills of the task' });
    await writeHomeFile(folders, [PLUGIN, '.claude-plugin', 'plugin.json'], manifest);
    await linkSkills(folders, [PLUGIN, 'skills'], skills);
    const listed = servers.map(({ name, ...server }) => [name, { type: 'http', ...server }]);
    const mcpServers = Object.fromEntries(listed);
    await writeHomeFile(folders, [CONFIG, SERVERS_FILE], JSON.stringify({ mcpServers }));
    await writeHomeFile(folders, [CONFIG, INSTRUCTIONS_FILE], instructions ?? '');
  },

  command(job) {
    const { prompt, folders, permissions, model, outputSchema, session, skills, endpoint } = job;
    const { mode: usual, tools } = MODES[permissions];
    // What the session has deferred would run before anyone could say that a person must answer first.
    const mode = prompt === '' && permissions === 'edit' ? 'manual' : usual;
    const config = join(folders.home, CONFIG);
    const args = ['-p', '--output-format=stream-json', '--input-format=stream-json', '--verbose'];
    args.push('--include-partial-messages');
    // Neither settings, hooks nor servers of the repository.
    args.push('--setting-sources=user', '--strict-mcp-config', `--settings=${join(config, SETTINGS_FILE)}`);
    args.push(`--permission-mode=${mode}`, `--tools=${tools}`, '--permission-prompt-tool=stdio');
    // Its own tools stay in the workspace, and it takes no settings but ours.
    if (permissions !== 'full') args.push('--restricted');
    // With `=`: a value may begin with a dash.
    if (model !== undefined) args.push(`--model=${model}`);
    if (outputSchema !== undefined) args.push(`--json-schema=${exactJson.stringify(outputSchema)}`);
    args.push(...definitionArgs(job, config));
    if (session !== undefined) args.push(`--resume=${session}`);
    if (skills.length > 0) {
      const plugin = join(folders.home, PLUGIN);
      // What is beside a SKILL.md is read by its path in the plugin, which leads to the folder of skills.
      args.push(`--plugin-dir=${plugin}`, `--add-dir=${join(plugin, 'skills')}`, `--add-dir=${folders.skills}`);
    }
    return {
      args,
      env: {
        ...ENVIRONMENT,
        CLAUDE_CONFIG_DIR: config,
        // Root may bypass permissions only where the user says that the machine is isolated.
        ...(permissions === 'full' && { IS_SANDBOX: '1' }),
        ...(endpoint && { ANTHROPIC_BASE_URL: endpoint.baseUrl, ANTHROPIC_API_KEY: endpoint.key }),
      },
    };
  },

  sessionFiles: ({ folders }, session) =>
    homeFiles(folders, join(CONFIG, 'projects'), (path) => basename(path) === `${session}.jsonl`),

  connect(process, job) {
    const send = (message: unknown) => {
      if (process.stdin.writable) process.stdin.write(`${JSON.stringify(message)}\n`);
    };
    // It exits at the end of its input.
    const conversation = new ClaudeConversation(job, send, () => process.stdin.end());
    conversation.begin(job.prompt);
    return createSession(process, job, conversation);
  },
};

function definitionArgs({ instructions, effort, servers }: RuntimeJob, config: string): string[] {
  return [
    // Else a session that goes on keeps the instructions that it began with.
    ...(instructions === undefined ? [] : ['--system-prompt-snapshot=off']),
    ...(instructions ? [`--append-system-prompt-file=${join(config, INSTRUCTIONS_FILE)}`] : []),
    ...(effort === undefined ? [] : [`--effort=${effort}`]),
    ...(servers.length === 0 ? [] : [`--mcp-config=${join(config, SERVERS_FILE)}`]),
  ];
}

async function settingsOf(folders: AttemptFolders, permissions: Permissions) {
  // Without hooks a skill's `allowed-tools` grant nothing either.
  if (permissions !== 'edit') return { disableAllHooks: true };
  const hidden = await findHiddenPaths(folders);
  return {
    disableAllHooks: true,
    sandbox: {
      enabled: true,
      autoAllowBashIfSandboxed: true,
      allowUnsandboxedCommands: false,
      filesystem: { denyRead: [...hidden.attempts, ...hidden.home], allowRead: [folders.root, folders.tmp] },
    },
  };
}
