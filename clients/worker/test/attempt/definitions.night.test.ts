import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelRequest, Reply, ToolCall } from '@agent-fleet/scripts/testing/model-server/model-api';
import { type ModelServer, startModelServer } from '@agent-fleet/scripts/testing/model-server/model-server';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startAskServer } from '../../src/ask-server.ts';
import type { Ask } from '../../src/messages.ts';
import { findOnPath } from '../../src/processes/find-on-path.ts';
import { startModelProxy } from '../../src/proxy/model-proxy.ts';
import { readPrices } from '../../src/proxy/prices.ts';
import { claudeCode } from '../../src/runtimes/claude-code.ts';
import { codex } from '../../src/runtimes/codex.ts';
import { copilot } from '../../src/runtimes/copilot.ts';
import { gemini } from '../../src/runtimes/gemini.ts';
import { opencode } from '../../src/runtimes/opencode.ts';
import type { Runtime } from '../../src/runtimes/runtime.ts';
import { makeDefinition, useAgents } from './support/fake-agent.ts';
import { startMcpServer } from './support/mcp-server.ts';

const PROGRAMS = join(import.meta.dirname, '../../../../.data/runtimes/node_modules/.bin');
const PATH = `${PROGRAMS}:${process.env.PATH}`;
const KEY = 'key-of-the-provider';
const SECRET = 'SECRET-0123456789';

const of =
  (prefix: string, separator: string) =>
  (server: string, at = server) => ({
    name: `${prefix}${server}${separator}look`,
    args: { at },
  });
const RUNTIMES = [
  {
    runtime: claudeCode,
    model: 'claude-sonnet-4-5',
    look: of('mcp__', '__'),
    shell: (command: string): ToolCall => ({ name: 'Bash', args: { command, description: 'Runs it' } }),
    write: (path: string): ToolCall => ({ name: 'Write', args: { file_path: path, content: 'x' } }),
  },
  {
    runtime: codex,
    model: 'gpt-5.5',
    look: (server: string, at = server) => ({ namespace: `mcp__${server}`, name: 'look', args: { at } }),
    shell: (cmd: string): ToolCall => ({ name: 'exec_command', args: { cmd, yield_time_ms: 60_000 } }),
    write: (path: string): ToolCall => ({
      name: 'apply_patch',
      args: `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch`,
    }),
  },
  {
    runtime: opencode,
    model: 'anthropic/claude-sonnet-4-5',
    look: of('', '_'),
    shell: (command: string): ToolCall => ({ name: 'bash', args: { command, description: 'Runs it' } }),
    write: (path: string): ToolCall => ({ name: 'write', args: { filePath: path, content: 'x' } }),
  },
  {
    runtime: copilot,
    model: 'claude-sonnet-4-5',
    look: of('', '-'),
    shell: (command: string): ToolCall => ({ name: 'bash', args: { command, description: 'Runs it' } }),
    write: (path: string): ToolCall => ({ name: 'create', args: { path, file_text: 'x' } }),
  },
  {
    runtime: gemini,
    model: 'gemini-2.5-pro',
    look: of('mcp_', '_'),
    shell: (command: string): ToolCall => ({ name: 'run_shell_command', args: { command } }),
    write: (path: string): ToolCall => ({ name: 'write_file', args: { file_path: path, content: 'x' } }),
  },
] as const;

let server: ModelServer;
let reply: (request: ModelRequest) => Reply;
const agents = useAgents();

beforeAll(async () => {
  server = await startModelServer({ key: KEY, reply: (request) => reply(request) });
});
afterAll(() => server?.close());

function say(...replies: Reply[]): void {
  reply = ({ tools }) => (tools.length === 0 ? { text: 'A title' } : (replies.shift() ?? { text: 'Done.' }));
}

for (const each of RUNTIMES) {
  const { name, program } = each.runtime;
  if (findOnPath(program, PATH)) describe(`The real ${name}`, () => specify(each));
  else test.skip(`the real ${name}, which is not installed`, () => {});
}

const ALLOW = ({ options }: Ask) => ({
  ...{ option_ids: [options?.find(({ role }) => role === 'allow')?.id ?? ''], text: null, values: null },
});

async function work(
  { runtime }: { runtime: Runtime },
  definition: ReturnType<typeof makeDefinition>,
  approvals: 'ask' | 'deny' = 'ask',
) {
  const upstream = [{ baseUrl: server.url, key: KEY }];
  const upstreams = { anthropic: upstream, openai: upstream, google: upstream };
  const proxy = await startModelProxy({ upstreams, prices: await readPrices(undefined) });
  const asks = await startAskServer();
  const options = {
    ...{ runtime, program: findOnPath(runtime.program, PATH) ?? '', proxy, asks, keep: 'all' as const },
    ...{ mcpCommands: [process.execPath], secretOf: () => SECRET, env: { PATH }, approvals },
  };
  const before = new Set(existsSync(agents.base) ? readdirSync(agents.base) : []);
  const { result, told } = agents.start('', options, {}, { definition, answer: ALLOW });
  try {
    await result;
  } finally {
    await proxy.close();
    asks.close();
  }
  const task = readdirSync(agents.base).find((name) => name.startsWith('task-') && !before.has(name)) ?? '';
  const folder = join(agents.base, task, '1');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const kept = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1')).join('\n');
  return { told, kept, workspace: readdirSync(join(folder, 'workspace')) };
}

function specify(each: (typeof RUNTIMES)[number]): void {
  const { runtime, model, look, shell, write } = each;

  test('works by its definition', async () => {
    const issues = await startMcpServer(SECRET);
    const secret = { secret: 'TOKEN' };
    const args = [join(import.meta.dirname, 'support/mcp-server.ts')];
    const definition = makeDefinition({
      ...{ instructions: 'INSTRUCTIONS-OF-THE-DEFINITION', model },
      effort: runtime.definitions?.hasEffort ? 'high' : null,
      mcp_servers: [
        { name: 'issues', url: issues.url, headers: { 'x-secret': secret } },
        { name: 'notes', command: process.execPath, args, env: { SECRET: secret } },
      ],
      permissions: {
        mode: 'edit',
        allow: [],
        ask: ['Bash(touch asked.txt)', 'mcp__notes'],
        deny: ['Bash(touch denied.txt)', 'mcp__issues__look(*"denied"*)'],
      },
    });
    say(
      { tools: [look('issues')] },
      { tools: [look('issues', 'denied')] },
      { tools: [look('notes')] },
      { tools: [shell('touch asked.txt')] },
      { tools: [shell('touch denied.txt')] },
    );
    const { told, kept, workspace } = await work(each, definition);
    const bodies = JSON.stringify(server.requests.map(({ body }) => body));
    expect(bodies).toContain('INSTRUCTIONS-OF-THE-DEFINITION');
    expect(bodies).toContain(`looked at issues with ${SECRET.length}`);
    expect(bodies).toContain(`looked at notes with ${SECRET.length}`);
    expect(issues.calls).toEqual([{ at: 'issues' }]);
    expect(told.asked.map(({ tool }) => JSON.stringify(tool))).toEqual([
      expect.stringContaining('mcp__notes__look'),
      expect.stringContaining('touch asked.txt'),
    ]);
    expect(workspace).toEqual(['asked.txt']);
    expect(kept + bodies + JSON.stringify(told.log)).not.toContain(SECRET);
  });

  test('ends at its last turn', async () => {
    say({ tools: [shell('true')] }, { tools: [shell('true')] }, { tools: [shell('touch made.txt')] });
    const limits = { max_turns: 2, timeout_seconds: null, max_attempts: null, max_cost: null };
    await expect(work(each, makeDefinition({ model, limits }))).rejects.toMatchObject({ code: 'max_turns' });
  });

  test('changes nothing with read-only', async () => {
    say({ tools: [shell('touch made.txt')] }, { tools: [write('made.txt')] });
    const permissions = { mode: 'read-only', allow: ['Bash(touch *)', 'Edit(**)'], ask: [], deny: [] };
    const { workspace } = await work(each, makeDefinition({ model, permissions }), 'deny');
    expect(workspace).toEqual([]);
  });
}
