import { connectAcp } from './acp/session.ts';
import { linkSkills } from './attempt-files.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';
import type { Runtime } from './runtime.ts';

type RuntimeName = 'claude-code' | 'codex' | 'gemini' | 'opencode' | 'copilot';

/** The runtimes that `--runtime` names. */
export const RUNTIMES: Readonly<Record<RuntimeName, Runtime>> = {
  'claude-code': claudeCode,
  codex,
  gemini,
  opencode,
  copilot,
};

/**
 * Any agent that speaks the Agent Client Protocol, such as an adapter. It has credentials of its own: its model calls
 * do not go through the key proxy, and nobody knows its settings files.
 */
export function createAcpRuntime(command: string, args: readonly string[]): Runtime {
  return {
    name: 'acp',
    agentType: undefined,
    program: command,
    versions: undefined,
    accepts: ['messages', 'steer', 'interrupt', 'input'],
    provider: () => undefined,
    // Where agents look by convention.
    prepare: ({ folders, skills }) => linkSkills(folders, ['.agents', 'skills'], skills),
    command: () => ({ args, env: {} }),
    connect: (process, job) => connectAcp(process, job, { setsModel: true }),
  };
}
