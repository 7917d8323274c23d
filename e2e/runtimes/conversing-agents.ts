import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ToolCall } from '@agent-fleet/scripts/testing/model-server/model-api';
import {
  AGENTS,
  type AgentUnderTest,
  findOnPath,
  HAS_SANDBOX,
  PROPRIETARY,
  PROVIDER_KEY,
} from './agents-under-test.ts';

/** A program of the table in `clients/worker/README.md`: how its model asks, and what it makes of messages. */
export interface ConversingAgent {
  name: string;
  program: string;
  agentType: string;
  model: string;
  env: AgentUnderTest['env'];
  /** Between the program and the common arguments of a worker. */
  args(program: string): string[];
  /** Those under which a person is asked. */
  permissions: 'edit' | 'read-only';
  /** A call that runs a command. */
  shell(command: string): ToolCall;
  /** A call that a person is asked for; default: `shell`. */
  asked?(command: string, file: string): ToolCall;
  question: ToolCall;
  /** Whether it takes a message into the running turn. */
  steers: boolean;
  /** Whether its session stays where it was. */
  isBound?: boolean;
}

const OPTIONS = [
  { label: 'SQLite', description: 'small' },
  { label: 'Postgres', description: 'big' },
];
const QUESTION = { header: 'DB', question: 'Which database?', options: OPTIONS };
const askPerson = (name: string): ToolCall => ({
  name,
  args: { question: QUESTION.question, options: OPTIONS.map(({ label }) => label) },
});
const ASK_USER = { name: 'AskUserQuestion', args: { questions: [{ ...QUESTION, multiSelect: false }] } };
const REQUEST_INPUT = { name: 'request_user_input', args: { questions: [{ id: 'db', ...QUESTION }] } };

/** Outside of the sandbox. */
const escalated = (cmd: string): ToolCall => ({
  name: 'exec_command',
  args: { cmd, yield_time_ms: 60_000, sandbox_permissions: 'require_escalated', justification: 'It must' },
});

const RUNTIMES: Record<
  AgentUnderTest['runtime'],
  Pick<ConversingAgent, 'permissions' | 'asked' | 'question' | 'steers' | 'isBound'>
> = {
  'claude-code': { permissions: 'edit', question: ASK_USER, steers: true },
  codex: { permissions: 'edit', asked: escalated, question: REQUEST_INPUT, steers: true },
  opencode: { permissions: 'read-only', question: { name: 'question', args: { questions: [QUESTION] } }, steers: true },
  gemini: {
    permissions: 'read-only',
    asked: (_, file_path) => ({ name: 'write_file', args: { file_path, content: 'ran\n' } }),
    question: askPerson('mcp_fleet_ask_person'),
    steers: false,
    isBound: true,
  },
  copilot: { permissions: 'read-only', question: askPerson('fleet-ask_person'), steers: false },
};

const ofRuntime = (agent: AgentUnderTest): ConversingAgent => ({
  ...agent,
  ...RUNTIMES[agent.runtime],
  name: agent.runtime,
  program: agent.runtime === 'claude-code' ? 'claude' : agent.runtime,
  args: (program) => ['--runtime', agent.runtime, '--runtime-path', program],
});

/** An adapter has its own credentials. */
const acp = (program: string, names: readonly string[]) => [
  '--acp',
  program,
  ...names.flatMap((name) => ['--pass-env', name]),
];

const [codex, claude] = [AGENTS[0], PROPRIETARY[0]] as [AgentUnderTest, AgentUnderTest];
const ADAPTERS: readonly ConversingAgent[] = [
  {
    ...claude,
    ...RUNTIMES['claude-code'],
    name: 'claude-agent-acp',
    program: 'claude-agent-acp',
    model: 'sonnet',
    args: (program) => acp(program, ['ANTHROPIC_BASE_URL', 'ANTHROPIC_API_KEY']),
    permissions: 'read-only',
    isBound: true,
  },
  {
    ...codex,
    ...RUNTIMES.codex,
    name: 'codex-acp',
    program: 'codex-acp',
    env(url) {
      const provider = { name: 'test', base_url: `${url}/v1`, wire_api: 'responses', env_key: 'OPENAI_API_KEY' };
      const features = { default_mode_request_user_input: true };
      const config = { model_provider: 'test', model_providers: { test: provider }, features };
      return { OPENAI_API_KEY: PROVIDER_KEY, CODEX_CONFIG: JSON.stringify(config) };
    },
    args: (program) => acp(program, ['OPENAI_API_KEY', 'CODEX_CONFIG']),
    permissions: 'read-only',
    isBound: true,
  },
];

export const CONVERSING: readonly ConversingAgent[] = [...[...PROPRIETARY, ...AGENTS].map(ofRuntime), ...ADAPTERS];

/** The path of a program, in a folder of installed ones or on PATH; or why it is not tried. */
export function findProgram({ program, shell }: ConversingAgent, installed = ''): { path?: string; why: string } {
  const path = [join(installed, program)].find((file) => existsSync(file)) ?? findOnPath(program);
  if (path === undefined) return { why: 'which is not installed' };
  const isSandboxed = shell === claude.shell && HAS_SANDBOX;
  return isSandboxed ? { why: 'whose commands ask nobody where there is bubblewrap' } : { path, why: '' };
}
