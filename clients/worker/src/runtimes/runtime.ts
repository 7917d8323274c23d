import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Used } from '../task.ts';

/** What an agent may do: read; also change the workspace and run commands, within the runtime's sandbox; anything. */
export type Permissions = 'read-only' | 'edit' | 'full';

/** The provider of a model, whose API the key proxy speaks. */
export type Provider = 'anthropic' | 'openai' | 'google';

/** Folders of one attempt, as absolute paths. */
export interface AttemptFolders {
  root: string;
  /** The working directory of the agent. */
  workspace: string;
  /** `HOME`, and what the runtime calls its own home: never shared with another attempt. */
  home: string;
  /** Skills as `<name>/SKILL.md`, outside the git tree. */
  skills: string;
  tmp: string;
  /** The events as the runtime wrote them, redacted. */
  events: string;
}

/** Where the runtime sends its model calls: the key proxy of the worker. */
export interface ModelEndpoint {
  /** Such as `http://127.0.0.1:40000/anthropic`, without a slash at its end. */
  baseUrl: string;
  /** Valid for this attempt and this proxy only; not the key of the provider. */
  key: string;
}

/** What a runtime is asked to do. */
export interface RuntimeJob {
  /** Written to stdin or sent over the protocol, never an argument: it is untrusted, and may have 300 KB. */
  prompt: string;
  folders: AttemptFolders;
  permissions: Permissions;
  model: string | undefined;
  /** JSON Schema of the output. The worker validates for every runtime; some also tell the model. */
  outputSchema: Record<string, unknown> | undefined;
  /** The session to continue, as this runtime named it. Its files are in `folders.home` already. */
  session: string | undefined;
  /** Absent for a runtime whose provider is unknown (`--acp`). */
  endpoint: ModelEndpoint | undefined;
  /** Names of the skills in `folders.skills`. */
  skills: readonly string[];
}

/** How to start the program of a runtime for a job. */
interface RuntimeCommand {
  args: readonly string[];
  /** Added to the environment of the attempt, which has nothing of the worker's own but an allow-list. */
  env: Readonly<Record<string, string>>;
}

/** What a runtime reports while it works, in its order. The last one is `success` or `failure`. */
export type RuntimeEvent =
  | { type: 'session'; id: string; model?: string }
  | { type: 'text'; text: string }
  /** A tool begins; `detail` is its command or path, for people. */
  | { type: 'tool'; name: string; detail: string }
  /** The agent's own to-do list. */
  | { type: 'plan'; done: number; total: number }
  /** Of this attempt, or with `ofSession` of the whole session, earlier attempts and tasks included. */
  | { type: 'used'; used: Used; ofSession?: boolean; turns?: number }
  | { type: 'denied'; tool: string; detail: string }
  /** Something the runtime mends by itself, such as a retry. */
  | { type: 'notice'; text: string }
  /** A question to a person, which ends the attempt with `input_required`. */
  | { type: 'question'; text: string }
  | { type: 'success'; text: string; output?: unknown }
  | { type: 'failure'; code: RuntimeErrorCode; message: string; retryable: boolean };

/** The failure of an attempt. */
export type Failure = Extract<RuntimeEvent, { type: 'failure' }>;

export function failure(code: Failure['code'], message: string, retryable: boolean): Failure {
  return { type: 'failure', code, message, retryable };
}

/** How much of the agent's own list is done. */
export function planOf<Item>(items: readonly Item[], isDone: (item: Item) => boolean): RuntimeEvent {
  return { type: 'plan', done: items.filter(isDone).length, total: items.length };
}

/** Codes of failures that this package reports, beside those of `--exec`. */
type RuntimeErrorCode =
  | 'runtime_missing'
  | 'auth_failed'
  | 'rate_limited'
  | 'budget_exceeded'
  | 'max_turns'
  | 'output_invalid'
  | 'refused'
  | 'stalled'
  | 'no_result'
  | 'skill_unverified'
  | 'workspace_failed'
  | 'session_lost'
  | 'input_required';

/** A running program. The worker starts it in a process group of its own, watches it, and ends it. */
export interface RuntimeProcess {
  child: ChildProcess;
  stdin: Writable;
  stdout: Readable;
  /** The end of stderr so far, redacted. */
  stderr(): string;
  /** Resolves when the program has exited and its output is read. Never rejects. */
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** A conversation with a running program. */
export interface RuntimeSession {
  /**
   * Ends after `success` or `failure`, or when the program exits: then the worker reports `no_result`, never a success.
   * Each text is as the runtime wrote it: the worker redacts.
   */
  events: AsyncIterable<RuntimeEvent>;
  /** Asks the program to stop, once; it has five seconds until the worker ends it. */
  cancel(): void;
}

/** A program that works on a task by itself, and how to speak to it. One small file each. */
export interface Runtime {
  /** As `--runtime` and a result's `session.runtime` name it. */
  readonly name: string;
  /** The type of agents whose tasks it takes by default. */
  readonly agentType: string | undefined;
  /** Name of the program on PATH. */
  readonly program: string;
  /** The versions that were tried, `from` included, `before` not. Others get a warning. */
  readonly versions: { from: string; before: string } | undefined;
  /** By the model, for runtimes that speak to several. Undefined: the model calls do not go through the proxy. */
  provider(model: string | undefined): Provider | undefined;
  /** Writes the files that the program reads at its start (settings, links to skills) below `folders.home`. */
  prepare(job: RuntimeJob): Promise<void>;
  command(job: RuntimeJob): RuntimeCommand;
  connect(process: RuntimeProcess, job: RuntimeJob): RuntimeSession;
}
