import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { describe, expect, test } from '@jest/globals';
import { createAcpRuntime, RUNTIMES } from '../../src/runtimes/catalogue.ts';
import { ClaudeGate } from '../../src/runtimes/claude-gate.ts';
import { createRules } from '../../src/runtimes/rules.ts';
import type { Runtime, RuntimeJob } from '../../src/runtimes/runtime.ts';
import { makeJob } from './support/runtime-program.ts';

const root = ownFolder();
let count = 0;
const servers = [{ name: 'issues', url: 'http://127.0.0.1:9/issues', headers: { authorization: 'Bearer k' } }];
const rules = createRules({ allow: [], ask: ['Bash(git push *)'], deny: ['Bash(rm *)'] }, 'edit');

/** All that a program is started with: its arguments, and the files in its home. */
async function startWith(runtime: Runtime, given: Partial<RuntimeJob>, folder = `task-${++count}`) {
  const job = makeJob(join(root, folder, '1'), { approvals: 'ask', ...given });
  await runtime.prepare(job);
  const entries = readdirSync(job.folders.home, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name), 'utf8')]);
  return { args: runtime.command(job).args, files: Object.fromEntries(files) as Record<string, string>, job };
}

describe('a definition', () => {
  test('Claude Code has it in files, and forgets the instructions of before', async () => {
    const definition = { instructions: 'Be brief', effort: 'high', servers, rules };
    const { args, files, job } = await startWith(RUNTIMES['claude-code'], definition);
    const config = join(job.folders.home, 'claude');
    expect(args).toEqual(
      expect.arrayContaining([
        ...['--system-prompt-snapshot=off', `--append-system-prompt-file=${config}/fleet-instructions.md`],
        ...['--effort=high', `--mcp-config=${config}/fleet-servers.json`, '--strict-mcp-config'],
      ]),
    );
    expect(files['fleet-instructions.md']).toBe('Be brief');
    const { name, ...server } = servers[0] as (typeof servers)[number];
    expect(JSON.parse(files['fleet-servers.json'] ?? '')).toEqual({
      mcpServers: { [name]: { type: 'http', ...server } },
    });
    expect((await startWith(RUNTIMES['claude-code'], {})).args.join()).not.toMatch(
      /snapshot|append|effort|,--mcp-config/,
    );
  });

  test('Codex has it in its settings, and the rules on commands', async () => {
    const { files } = await startWith(RUNTIMES.codex, { instructions: 'Say "hi"', effort: 'low', servers, rules });
    expect(files['config.toml']).toContain('model_reasoning_effort = "low"\ndeveloper_instructions = "Say \\"hi\\""');
    expect(files['config.toml']).toContain('[mcp_servers."issues"]\nurl = "http://127.0.0.1:9/issues"');
    expect(files['config.toml']).toContain('[mcp_servers."issues".http_headers]\nauthorization = "Bearer k"');
    const [denied, asked] = ['pattern=["rm"], decision="forbidden"', 'pattern=["git","push"], decision="prompt"'];
    expect(files['fleet.rules']).toBe(`prefix_rule(${denied})\nprefix_rule(${asked})\n`);
    const deaf = await startWith(RUNTIMES.codex, { rules, approvals: 'deny' });
    expect(deaf.files['fleet.rules']).not.toContain('prompt');
    const full = await startWith(RUNTIMES.codex, { rules, permissions: 'full' });
    expect(full.files['config.toml']).toContain('approval_policy = "on-request"');
  });

  test('opencode has it in its settings', async () => {
    const { files, job } = await startWith(RUNTIMES.opencode, { instructions: 'Be brief', servers, rules });
    const settings = JSON.parse(files['opencode.json'] ?? '');
    const path = join(job.folders.home, '.config/opencode/fleet-instructions.md');
    expect(settings).toMatchObject({ instructions: [path], mcp: { issues: { type: 'remote', oauth: false } } });
    expect(Object.entries(settings.permission.bash)).toEqual([
      ['*', 'allow'],
      ['git push *', 'ask'],
      ['rm *', 'deny'],
    ]);
    expect(settings.permission['issues_*']).toBe('allow');
    const reads = await startWith(RUNTIMES.opencode, { permissions: 'read-only', rules, approvals: 'deny' });
    expect(JSON.parse(reads.files['opencode.json'] ?? '').permission.bash).toEqual({
      ...{ '*': 'deny', 'git push *': 'deny', 'rm *': 'deny' },
    });
  });

  test('Gemini CLI and Copilot have it in their homes, and Copilot asks for all where there are rules', async () => {
    const { files } = await startWith(RUNTIMES.gemini, { instructions: 'Be brief', servers });
    expect(files['fleet-instructions.md']).toBe('Be brief');
    expect(JSON.parse(files['settings.json'] ?? '').mcpServers.issues).toMatchObject({ trust: true });
    const full = { instructions: 'Be brief', servers, effort: 'low', permissions: 'full' } as const;
    const free = await startWith(RUNTIMES.copilot, full);
    expect(free.files['copilot-instructions.md']).toBe('Be brief');
    expect(free.args).toEqual(
      expect.arrayContaining(['--allow-all-tools', '--reasoning-effort=low', '--allow-tool=issues']),
    );
    expect((await startWith(RUNTIMES.copilot, { ...full, rules })).args).not.toContain('--allow-all-tools');
  });

  test.each(['copilot', 'gemini'] as const)('%s forgets the instructions that another task had', async (name) => {
    await startWith(RUNTIMES[name], { instructions: 'Be brief' }, `same-${name}`);
    const { files } = await startWith(RUNTIMES[name], {}, `same-${name}`);
    expect(JSON.stringify(files)).not.toContain('Be brief');
  });
});

test.each<[tool: string, command: string, approvals: 'ask' | 'deny', decision: string]>([
  ['Bash', 'rm x', 'ask', 'deny'],
  ['Bash', 'git push', 'ask', 'asked'],
  ['Bash', 'git push', 'deny', 'deny'],
  ['Bash', 'sleep 1', 'deny', 'none'],
  ['mcp__issues__look', 'rm x', 'ask', 'none'],
])('Claude Code is told before a call of %s (%s), where people are to %s: %s', (tool, command, approvals, decision) => {
  const answers: unknown[] = [];
  const job = makeJob(join(root, `task-${++count}`, '1'), { rules, approvals });
  const gate = new ClaudeGate(job, (_, answer) => answers.push(answer));
  gate.isSandboxed = true;
  const hook = { input: { tool_name: tool, tool_input: { command }, tool_use_id: 'call' } };
  const asked = [...gate.readHook('request', hook)].map(({ type }) => type);
  const said = /"permissionDecision":"(\w+)"/.exec(JSON.stringify(answers))?.[1] ?? 'none';
  expect(asked.length > 0 ? 'asked' : said).toBe(decision);
  // What was denied is told with the result of the call.
  expect([...gate.readDenial('call')]).toHaveLength(decision === 'deny' ? 1 : 0);
});

test.each<[keyof typeof RUNTIMES, string[], string[]]>([
  ['claude-code', ['Bash(*rm*)', 'Read(.env)', 'WebFetch'], []],
  ['codex', ['Bash(rm)', 'Bash(git push *)'], ['Bash', 'Bash(*rm*)', 'Bash(a "b")', 'Edit', 'Read(.env)']],
  ['opencode', ['Bash(*rm*)', 'Read(.env)', 'WebFetch(domain:a.b)'], ['NoSuchTool']],
  ['gemini', ['Bash(git push *)', 'Edit'], ['Bash', 'Bash(*rm*)', 'Bash(ls *)', 'Bash(git *)', 'Read(.env)']],
  ['copilot', ['Bash(*rm*)', 'Edit(src/**)'], ['Read(.env)']],
])('%s holds rules that it can, and no others', (name, held, lost) => {
  const isHeld = (rule: string) => {
    const { restrictions } = createRules({ allow: [], ask: [], deny: [rule, 'mcp__a'] }, 'edit');
    return restrictions.every((each) => RUNTIMES[name].definitions?.holds(each));
  };
  expect(held.filter((rule) => !isHeld(rule))).toEqual([]);
  expect(lost.filter(isHeld)).toEqual([]);
});

test('nothing is known of what another agent can do', () => {
  expect(createAcpRuntime('agent', []).definitions).toBeUndefined();
});
