import { TaskError } from '../errors.ts';
import { clip } from '../report.ts';
import type { PlacedSkill } from '../skills/place-skills.ts';
import type { Used } from '../task.ts';
import type { Changes } from '../workspace/changes.ts';
import type { AgentOptions } from './agent-options.ts';
import type { AgentTask } from './agent-task.ts';
import { outputOf } from './output.ts';
import type { Ending, Recorder } from './recorder.ts';
import type { Redactor } from './redaction.ts';
import type { UsedCounter } from './used.ts';

/** Less than the limit of the fleet, 1 MiB. */
const MAX_BYTES = 1024 * 1024 - 4 * 1024;
const MAX_PATCH_BYTES = 256 * 1024;
const NOTE = '\n[The rest was left out: a result has at most 1 MiB.]';

/** What a completed task of an agent returns. */
interface AgentResult {
  text: string;
  /** Null without an `output_schema`. */
  output: unknown;
  session: { runtime: string; id: string } | null;
  usage: Used['usage'];
  cost: Used['cost'];
  model: string | null;
  turns: number | null;
  duration_ms: number;
  permission_denials: { tool: string; detail: string }[];
  skills: PlacedSkill[];
  changes: Changes | null;
}

interface ResultParts {
  task: AgentTask;
  options: Pick<AgentOptions, 'runtime'>;
  ending: Extract<Ending, { type: 'success' }>;
  recorder: Pick<Recorder, 'facts'>;
  used: Pick<UsedCounter, 'total'>;
  skills: PlacedSkill[];
  changes: Changes | null;
  durationMs: number;
}

/** The result of a success. @throws TaskError `output_invalid` */
export function toResult({ task, options, ending, recorder, used, skills, changes, durationMs }: ResultParts) {
  const { session, model, turns, denials } = recorder.facts;
  const total = used.total();
  return fitResult({
    text: ending.text,
    output: task.output_schema ? outputOf(ending.text, ending.output, task.output_schema) : (ending.output ?? null),
    session: session === null ? null : { runtime: options.runtime.name, id: session },
    usage: total?.usage ?? null,
    cost: total?.cost ?? null,
    model: total?.model ?? model,
    turns,
    duration_ms: durationMs,
    permission_denials: denials,
    skills,
    changes,
  });
}

/** How a program ended. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** The end of stderr, redacted. */
  stderr: string;
}

/** The error of an attempt without a success: an exit code of 0 is none. */
export function failureOf(
  ending: Exclude<Ending, { type: 'success' }> | undefined,
  { code, signal, stderr }: Exit,
  redactor: Redactor,
): TaskError {
  if (ending?.type === 'question') {
    return new TaskError(redactor.text(ending.text), { code: 'input_required', retryable: false });
  }
  if (ending !== undefined) {
    return new TaskError(redactor.text(ending.message), { code: ending.code, retryable: ending.retryable });
  }
  const how = signal === null ? `exit code ${code}` : `ended by ${signal}`;
  const said = stderr.trim();
  return new TaskError(`The agent ended without a result (${how})${said && `:\n${said}`}`, { code: 'no_result' });
}

/** Shortens the patch to 256 KiB, and the text where the result would be larger than the fleet takes. */
function fitResult(result: AgentResult): AgentResult {
  const fitted = result.changes === null ? result : { ...result, changes: fitChanges(result.changes) };
  let { text } = fitted;
  while (sizeOf({ ...fitted, text }) > MAX_BYTES && text.length > NOTE.length) {
    text = clip(text, Math.floor((text.length - NOTE.length) / 2)) + NOTE;
  }
  return { ...fitted, text };
}

/** Half a patch applies nowhere: one that is too long is left out. */
function fitChanges(changes: Changes): Changes {
  if (Buffer.byteLength(changes.patch) <= MAX_PATCH_BYTES) return changes;
  return { ...changes, patch: '', patch_truncated: true };
}

const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
