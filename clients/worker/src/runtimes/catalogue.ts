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
