import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { AgentOptions } from '../../src/attempt/agent-options.ts';
import type { Ask } from '../../src/messages.ts';
import type { Runtime, RuntimeEvent, RuntimeJob } from '../../src/runtimes/runtime.ts';
import { DONE, makeDefinition, say, shellRuntime, type Told, useAgents } from './support/fake-agent.ts';
import { startMcpServer } from './support/mcp-server.ts';

const { start } = useAgents();
const SECRET = 'SECRET-0123456789';
const secret = { secret: 'TOKEN' };
const NOTES = {
  ...{ name: 'notes', command: process.execPath, env: { SECRET: { ...secret, prefix: 'with ' } } },
  args: [join(import.meta.dirname, 'support/mcp-server.ts')],
};
const HOLDS = { definitions: { hasEffort: false, holds: () => true } };

async function callMcp(job: RuntimeJob, server: string, method: string, params: object = {}, id: number | null = 1) {
  const { url = '', headers = {} } = job.servers.find(({ name }) => name === server) ?? {};
  const body = JSON.stringify({ jsonrpc: '2.0', ...(id !== null && { id }), method, params });
  const accept = 'application/json, text/event-stream';
  const response = await fetch(url, { method: 'POST', body, headers: { ...headers, accept } });
  return (await response.text()).replaceAll(/^(?:data:|:)\s*/gm, '').trim();
}

const look = async (job: RuntimeJob, server: string, at = server) => {
  const { result } = JSON.parse(await callMcp(job, server, 'tools/call', { name: 'look', arguments: { at } }));
  return result.content[0].text;
};

/** An agent that calls tools, and says what they returned. */
function callingRuntime(calls: (job: RuntimeJob) => Promise<unknown>, more: Partial<Runtime> = {}): Runtime {
  const runtime = shellRuntime('read -r line', [], { ...HOLDS, ...more });
  async function* follow(job: RuntimeJob, end: () => void): AsyncGenerator<RuntimeEvent> {
    const said = await calls(job);
    yield { type: 'success', text: JSON.stringify(said) };
    end();
  }
  return {
    ...runtime,
    connect: (process, job) => ({
      ...runtime.connect(process, job),
      // A program whose output is not read cannot exit.
      events: follow(job, () => process.stdout.resume() && process.stdin.end()),
    }),
  };
}

function work(
  calls: (job: RuntimeJob) => Promise<unknown>,
  definition: Parameters<typeof makeDefinition>[0],
  options: Partial<AgentOptions> = {},
  people: Partial<Told> = {},
) {
  const given = {
    mcpCommands: [process.execPath],
    secretOf: (name: string) => (name === 'TOKEN' ? SECRET : undefined),
  };
  const runtime = callingRuntime(calls);
  return start('', { runtime, ...given, ...options }, {}, { definition: makeDefinition(definition), ...people });
}

const allow = ({ options }: Ask) => ({
  ...{ option_ids: [options?.find(({ role }) => role === 'allow')?.id ?? ''], text: null, values: null },
});
const deny = () => ({ option_ids: ['deny'], text: 'Not today', values: null });
const textOf = async (result: Promise<unknown>) => JSON.parse(((await result) as { text: string }).text);

describe('MCP servers of a definition', () => {
  test.each([false, true])('have their secrets, and the agent has none (answers as a stream: %s)', async (isStream) => {
    const issues = await startMcpServer(SECRET, { isStream });
    const { result, told } = work(
      async (job) => {
        const listed = await callMcp(job, 'issues', 'tools/list');
        for (const name of ['initialize', 'initialize']) await callMcp(job, 'notes', name, { protocolVersion: '1' });
        await callMcp(job, 'notes', 'notifications/initialized', {}, null);
        const [home, env] = [readdirSync(job.folders.home, { recursive: true }), JSON.stringify(job)];
        return [
          listed.includes('look'),
          await look(job, 'issues', 'secret'),
          await look(job, 'notes', 'secret'),
          home,
          env.includes(SECRET),
        ];
      },
      { mcp_servers: [{ name: 'issues', url: issues.url, headers: { 'x-secret': secret } }, NOTES] },
    );
    const said = await textOf(result);
    expect(said).toEqual([
      true,
      'looked at secret with [redacted]',
      'looked at secret with with [redacted]',
      [],
      false,
    ]);
    expect(issues.calls).toEqual([{ at: 'secret' }]);
    expect(JSON.stringify(told.log)).not.toContain(SECRET);
  });

  test('are asked for what a rule says, and not at all for what one denies', async () => {
    const issues = await startMcpServer(SECRET);
    const { result, told } = work(
      async (job) => [await look(job, 'issues', 'a'), await look(job, 'issues', 'b'), await look(job, 'issues', 'c')],
      {
        mcp_servers: [{ name: 'issues', url: issues.url, headers: { 'x-secret': secret } }],
        permissions: { mode: null, allow: [], ask: ['mcp__issues__look(*"b"*)'], deny: ['mcp__issues(*"c"*)'] },
      },
      {},
      { answer: deny },
    );
    expect(await textOf(result)).toEqual([
      expect.stringContaining('looked at a'),
      'Not today',
      expect.stringContaining('denies'),
    ]);
    expect(issues.calls).toEqual([{ at: 'a' }]);
    expect(told.asked).toMatchObject([{ kind: 'approval', tool: { name: 'mcp__issues__look', input: { at: 'b' } } }]);
    expect(await result).toMatchObject({
      permission_denials: [{ tool: 'mcp__issues__look' }, { tool: 'mcp__issues__look' }],
    });
  });

  test.each<[string, 'ask' | 'deny', string[], number]>([
    ['asks a person', 'ask', [], 1],
    ['refuses where nobody is asked', 'deny', [], 0],
    ['lets pass what a rule allows', 'deny', ['mcp__issues__look'], 1],
  ])('read-only %s', async (_title, approvals, allowed, calls) => {
    const issues = await startMcpServer(SECRET);
    const definition = {
      mcp_servers: [{ name: 'issues', url: issues.url, headers: { 'x-secret': secret } }],
      permissions: { mode: 'read-only', allow: allowed, ask: [], deny: [] },
    };
    const { result, told } = work((job) => look(job, 'issues'), definition, { approvals }, { answer: allow });
    await result;
    expect([issues.calls.length, told.asked.length]).toEqual([calls, approvals === 'ask' ? 1 : 0]);
  });

  test.each<[string, (job: RuntimeJob) => Promise<unknown>, RegExp]>([
    ['answers with an error', (job) => callMcp(job, 'issues', 'initialize'), /server issues cannot be used: .*401/],
    ['does not start', (job) => callMcp(job, 'notes', 'initialize'), /server notes cannot be used: .*exit code 1/],
    ['was never asked', async () => 'done', /not connected to MCP servers of its definition: issues, notes/],
  ])('end the attempt when one %s', async (_title, calls, message) => {
    const issues = await startMcpServer('another');
    const { result } = work(calls, {
      mcp_servers: [
        { name: 'issues', url: issues.url, headers: { 'x-secret': secret } },
        { ...NOTES, args: ['--eval', 'process.exit(1)'] },
      ],
    });
    await expect(result).rejects.toMatchObject({ code: 'mcp_unavailable', message: expect.stringMatching(message) });
  });
});

test.each<[string, string, Parameters<typeof makeDefinition>[0], Partial<AgentOptions>]>([
  [
    'a secret',
    'secret_missing',
    { mcp_servers: [{ name: 'a', url: 'http://a', headers: { a: { secret: 'NONE' } } }] },
    {},
  ],
  ['a program', 'definition_unsupported', { mcp_servers: [{ name: 'a', command: 'npx' }] }, { mcpCommands: [] }],
  ['the name of a server', 'definition_unsupported', { mcp_servers: [{ name: 'fleet', url: 'http://a' }] }, {}],
  ['more permissions', 'definition_unsupported', { permissions: { mode: 'full', allow: [], ask: [], deny: [] } }, {}],
  ['another runtime', 'definition_unsupported', { runtime: 'codex' }, {}],
  [
    ...(['a rule', 'definition_unsupported'] as const),
    { permissions: { mode: null, allow: [], ask: [], deny: ['Bash'] } },
    { runtime: shellRuntime(DONE) },
  ],
  [
    ...(['read-only that nothing holds', 'definition_unsupported'] as const),
    { permissions: { mode: 'read-only', allow: [], ask: [], deny: [] } },
    { runtime: shellRuntime(DONE) },
  ],
  [
    ...(['turns that nothing counts', 'definition_unsupported'] as const),
    { limits: { max_turns: 3, timeout_seconds: null, max_attempts: null, max_cost: null } },
    { runtime: shellRuntime(DONE) },
  ],
])('refuses a definition for %s', async (_title, code, definition, options) => {
  const { result } = work(async () => 'done', definition, options);
  await expect(result).rejects.toMatchObject({ code, retryable: false });
  await expect(result).rejects.not.toMatchObject({ message: expect.stringContaining(SECRET) });
});

test('works by what the definition says, and says what it cannot do', async () => {
  const jobs: RuntimeJob[] = [];
  const definition = makeDefinition({
    instructions: 'Be brief',
    model: 'm1',
    effort: 'high',
    output_schema: { type: 'object' },
  });
  const { result, told } = start(
    '',
    { runtime: shellRuntime(say({ type: 'success', text: '{}' }), jobs) },
    {},
    { definition },
  );
  expect(await result).toMatchObject({ output: {} });
  expect(jobs).toMatchObject([{ instructions: 'Be brief', model: 'm1', effort: 'high', permissions: 'edit' }]);
  expect(jobs[0]?.prompt).toContain('conforms to this schema');
  expect(told.log).toContainEqual(expect.objectContaining({ text: expect.stringContaining('no setting for it') }));
});

test('answers itself what a rule allows', async () => {
  const options = [{ id: 'yes', label: 'Yes', role: 'allow' as const }];
  const tool = { name: 'Bash', input: { command: 'npm test' } };
  const script = `${say({ type: 'ask', ask: { key: 'k', kind: 'approval', title: 'x', tool, options } })}; read -r line; printf '{"type":"success","text":"%s"}\\n' "$(echo "$line" | tr -d '"{}')"`;
  const permissions = { mode: null, allow: ['Bash(npm *)'], ask: [], deny: [] };
  const { result, told } = start(script, {}, {}, { definition: makeDefinition({ permissions }) });
  expect(await result).toMatchObject({ text: expect.stringContaining('option_ids:[yes]') });
  expect(told.asked).toEqual([]);
});
