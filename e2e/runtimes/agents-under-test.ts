import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { ModelRequest, ToolCall } from '@agent-fleet/scripts/testing/model-server/model-api';

/** A program, and how its model would call a shell. */
export interface AgentUnderTest {
  runtime: 'codex' | 'gemini' | 'opencode' | 'claude-code' | 'copilot';
  agentType: string;
  model: string;
  /** The worker's variables that lead to the model server. */
  env(url: string): Record<string, string>;
  shell(command: string): ToolCall;
}

/** The key that no agent may see. */
export const PROVIDER_KEY = 'the-key-of-the-provider';

export const AGENTS: readonly AgentUnderTest[] = [
  {
    runtime: 'codex',
    agentType: 'gpt',
    model: 'gpt-5.5',
    env: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: PROVIDER_KEY }),
    shell: (cmd) => ({ name: 'exec_command', args: { cmd, yield_time_ms: 60_000 } }),
  },
  {
    runtime: 'gemini',
    agentType: 'gemini',
    model: 'gemini-3-pro-preview',
    env: (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: PROVIDER_KEY }),
    shell: (command) => ({ name: 'run_shell_command', args: { command } }),
  },
  {
    runtime: 'opencode',
    agentType: 'claude',
    model: 'anthropic/claude-sonnet-4-5',
    env: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: PROVIDER_KEY }),
    shell: (command) => ({ name: 'bash', args: { command, description: 'Runs it' } }),
  },
];

/** Not free software: tried where users have installed them, in the versions that the documentation names. */
export const PROPRIETARY: readonly AgentUnderTest[] = [
  {
    runtime: 'claude-code',
    agentType: 'claude',
    model: 'claude-sonnet-4-5',
    env: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: PROVIDER_KEY }),
    shell: (command) => ({ name: 'Bash', args: { command, description: 'Runs it' } }),
  },
  {
    runtime: 'copilot',
    agentType: 'gpt',
    model: 'claude-sonnet-4-5',
    env: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: PROVIDER_KEY }),
    shell: (command) => ({ name: 'bash', args: { command, description: 'Runs it', mode: 'sync' } }),
  },
];

export function findOnPath(name: string): string | undefined {
  const files = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name));
  return files.find((file) => existsSync(file));
}

/** Whether Claude Code has a sandbox here: in it commands ask nobody, without it none runs that nobody permits. */
export const HAS_SANDBOX = ['bwrap', 'socat'].every((name) => findOnPath(name) !== undefined);

/** Whether a request is of the agent's work, not of a title or the like. */
export const isWork = ({ api, tools }: ModelRequest) => api !== 'other' && tools.length > 0;
