import { createContext, runInContext } from 'node:vm';
import type { Task } from '@agent-fleet/sdk';
import { exactJson, toPlain } from '@agent-fleet/sdk/exact-json';
import { Ajv, type AnySchema, type ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { limitedError, messageOf, TaskError } from '../errors.ts';
import type { Redactor } from '../redaction.ts';
import { clip } from '../report.ts';
import type { PlacedSkill } from '../skills/place-skills.ts';
import type { Used } from '../task.ts';
import type { Changes } from '../workspace/changes.ts';
import type { AgentOptions } from './agent-options.ts';
import type { Ending, Recorder } from './recorder.ts';
import type { UsedCounter } from './used.ts';

/** Less than the limit of the fleet, 1 MiB. */
const MAX_BYTES = 1024 * 1024 - 4 * 1024;
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
  task: Task;
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
  /** When the provider takes calls again, if it has said so; milliseconds since 1970. */
  limitedUntil?: number | undefined;
}

/** The error of an attempt without a success: an exit code of 0 is none. */
export function failureOf(
  ending: Exclude<Ending, { type: 'success' }> | undefined,
  { code, signal, stderr, limitedUntil }: Exit,
  redactor: Redactor,
): TaskError {
  if (limitedUntil !== undefined && ending?.code !== 'budget_exceeded') {
    const said = ending === undefined ? '' : `: ${redactor.text(ending.message)}`;
    return limitedError(limitedUntil, said);
  }
  if (ending !== undefined) {
    return new TaskError(redactor.text(ending.message), { code: ending.code, retryable: ending.retryable });
  }
  const how = signal === null ? `exit code ${code}` : `ended by ${signal}`;
  const said = stderr.trim();
  return new TaskError(`The agent ended without a result (${how})${said && `:\n${said}`}`, { code: 'no_result' });
}

/** Shortens the text where the result would be larger than the fleet takes. */
function fitResult(result: AgentResult): AgentResult {
  let { text } = result;
  while (sizeOf({ ...result, text }) > MAX_BYTES && text.length > NOTE.length) {
    text = clip(text, Math.floor((text.length - NOTE.length) / 2)) + NOTE;
  }
  return { ...result, text };
}

const sizeOf = (value: unknown) => Buffer.byteLength(exactJson.stringify(value));

/** For a schema whose patterns take exponential time. It stops the whole thread for so long. */
const DEADLINE_MS = 2_000;
const MAX_ERRORS = 5;
const OPENING = /^(`{3,})[a-z]*[ \t]*$/;
const CLOSING = /^(`{3,})[ \t]*$/;

/**
 * The output of an agent, which conforms to the schema: what the runtime returned, or else the JSON of the text, whole
 * or in its last fenced block. @throws TaskError `output_invalid` with the first errors
 */
export function outputOf(text: string, returned: unknown, schema: Record<string, unknown>): unknown {
  const output = returned === undefined ? parseOutput(text) : returned;
  if (output === undefined) throw invalid('The agent returned no JSON');
  const errors = validate(toPlain(schema) as typeof schema, toPlain(output));
  if (errors.length > 0) throw invalid(`The output does not conform to the schema: ${errors.join('; ')}`);
  return output;
}

/** Undefined if there is none. */
function parseOutput(text: string): unknown {
  for (const candidate of [text, ...fencedBlocks(text).reverse()]) {
    try {
      return exactJson.parse(candidate);
    } catch {
      // The next one.
    }
  }
  return undefined;
}

/** In time that grows with the text alone, which may be megabytes of fences that nothing closes. */
function fencedBlocks(text: string): string[] {
  const lines = text.split('\n');
  const closings = lines.map((line) => CLOSING.exec(line)?.[1]);
  const lastClosings = new Map(closings.map((marks, at) => [marks, at]));
  const blocks: string[] = [];
  let open: { marks: string; begin: number } | undefined;
  for (const [at, line] of lines.entries()) {
    if (open === undefined) {
      const marks = OPENING.exec(line)?.[1];
      if (marks !== undefined && (lastClosings.get(marks) ?? 0) > at) open = { marks, begin: at + 1 };
    } else if (closings[at] === open.marks) {
      blocks.push(lines.slice(open.begin, at).join('\n'));
      open = undefined;
    }
  }
  return blocks;
}

/** The first errors. Runs under a deadline: the schema is a stranger's. */
function validate(schema: Record<string, unknown>, value: unknown): string[] {
  const run = () => {
    const check = compile(schema);
    return check(value) ? [] : (check.errors ?? []).slice(0, MAX_ERRORS).map(describe);
  };
  try {
    return runInContext('run()', createContext({ run }), { timeout: DEADLINE_MS }) as string[];
  } catch (error) {
    const isLate = (error as NodeJS.ErrnoException | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
    const why = isLate ? `its validation takes more than ${DEADLINE_MS / 1000} s` : messageOf(error);
    throw new TaskError(`The output schema cannot be used: ${why}`, { code: 'output_invalid', retryable: false });
  }
}

/**
 * Draft 2020-12, or draft-07 and 06 where the schema says so. References to other documents are errors. `$async` is
 * Ajv's own: such a check answers later, and rejects where nobody waits for it.
 */
function compile({ $schema, $async: _, ...schema }: Record<string, unknown>) {
  const options = { strict: false, allErrors: false, logger: false, addUsedSchema: false } as const;
  const isOlder = typeof $schema === 'string' && /draft-0[67]/.test($schema);
  const ajv = isOlder ? new Ajv(options) : new Ajv2020(options);
  (addFormats as unknown as (ajv: Ajv) => void)(ajv as Ajv);
  return ajv.compile(schema as AnySchema);
}

function describe({ instancePath, message }: ErrorObject): string {
  return `${instancePath || 'the value'} ${message}`;
}

function invalid(message: string): TaskError {
  return new TaskError(message, { code: 'output_invalid' });
}
