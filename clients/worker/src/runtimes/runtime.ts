import type { ChildProcess } from 'node:child_process';
import { relative } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { Answer, Ask, DeliveredAs, Message, Takes } from '../messages.ts';
import type { Used } from '../task.ts';
import type { Rule, Rules } from './rules.ts';

export type { Answer, Ask, AskOption, DeliveredAs, Message } from '../messages.ts';

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
  /**
   * Written to stdin or sent over the protocol, never an argument: it is untrusted, and may have 300 KB. Has the
   * answers to what a suspended session asked; empty where that session asks again all that it asked.
   */
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
  /** Whether a person may permit what `permissions` does not. */
  approvals: 'ask' | 'deny';
  /** Of the definition; undefined without one. Empty: a session that goes on forgets those that it had. */
  instructions: string | undefined;
  effort: string | undefined;
  /** Those that the runtime does not `hold` never come here. */
  rules: Rules;
  /**
   * MCP servers of the worker: it decides on their tools itself, so the runtime lets all of them pass. One has the tool
   * `ask_person`, for runtimes without a tool that asks; the others stand for those of the definition.
   */
  servers: readonly McpServer[];
}

/** An MCP server over HTTP on the loopback; the headers have a key of the attempt alone. */
export interface McpServer {
  name: string;
  url: string;
  headers: Record<string, string>;
}

/** The name of the server that asks people. */
export const ASK_SERVER = 'fleet';

/** An entry of the transcript. Texts are whole: the worker cuts and redacts them. */
export type TranscriptEntry =
  | { type: 'text'; data: { markdown: string } }
  | { type: 'thinking'; data: { text: string } }
  /** `summary` is its command or path, for people. */
  | { type: 'tool_call'; data: { call_id: string; name: string; input: unknown; summary: string } }
  | { type: 'tool_result'; data: ToolResult }
  /** `added` and `removed` count lines; `diff` is a unified one. */
  | { type: 'file_edit'; data: { path: string; added: number; removed: number; diff: string } }
  /** The agent's own to-do list. */
  | { type: 'plan'; data: { items: { text: string; state: 'pending' | 'in_progress' | 'completed' }[] } };

interface ToolResult {
  call_id: string;
  is_error: boolean;
  exit_code?: number;
  /** The worker's own clock, since the call, where the runtime tells none. */
  duration_ms?: number;
  output: string;
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
  /** Of this attempt, where the worker does not see the calls of the model itself. */
  | { type: 'used'; used: Used }
  /** A turn has ended: its tools that have no result get one. `calls`: of the model, where the runtime counts them. */
  | { type: 'turn'; calls?: number }
  | { type: 'denied'; tool: string; detail: string }
  /** One message of the agent is one entry. */
  | { type: 'entry'; entry: TranscriptEntry }
  /** Of a text that is still being written, or of the output of the call. It may be dropped. */
  | { type: 'delta'; text: string; callId?: string }
  /** Answered by `answer`. */
  | { type: 'ask'; ask: Ask }
  /** While it is suspended: the session asks this again when it goes on, with the same key. */
  | { type: 'deferred'; key: string }
  /** The runtime no longer waits for an answer. */
  | { type: 'unasked'; key: string }
  /** The runtime has taken a message; or never will. */
  | { type: 'delivered'; id: string; as: DeliveredAs }
  | { type: 'dropped'; id: string }
  /** The turn has stopped, and the session waits for a message. */
  | { type: 'interrupted' }
  /** Something the runtime mends by itself, such as a retry. */
  | { type: 'notice'; text: string }
  | { type: 'success'; text: string; output?: unknown }
  | { type: 'failure'; code: RuntimeErrorCode; message: string; retryable: boolean };

/** The failure of an attempt. */
export type Failure = Extract<RuntimeEvent, { type: 'failure' }>;

export function failure(code: Failure['code'], message: string, retryable: boolean): Failure {
  return { type: 'failure', code, message, retryable };
}

/** The path of a file in a folder; as it is for one that is not. */
export function nameIn(folder: string, path: string): string {
  const name = relative(folder, path);
  return name.startsWith('..') ? path : name;
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
  | 'mcp_unavailable'
  | 'skill_unverified'
  | 'workspace_failed'
  | 'session_lost';

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
   * Ends after `success` or `failure`, which come when no turn runs and no message waits, or when the program exits:
   * then the worker reports `no_result`, never a success. Each text is as the runtime wrote it: the worker redacts.
   */
  events: AsyncIterable<RuntimeEvent>;
  /** Asks the program to stop, once; it has five seconds until the worker ends it. */
  cancel(): void;
  answer(key: string, answer: Answer): void;
  /**
   * Passes a message on; `delivered` or `dropped` follows. `interrupt` stops the turn, and the text begins the next
   * one. What the runtime cannot do in a turn begins the next one. After `interrupted` any mode begins a turn.
   */
  say(message: Message): void;
  /** Stops the turn and keeps the session: `interrupted` follows, and the end of the turn is no end of the session. */
  interrupt(): void;
  /**
   * Ends the program so that another attempt can go on with the session: an open question is asked again there, if the
   * runtime can. Resolves when the files of the session are complete; `events` end without an ending.
   */
  suspend(): Promise<void>;
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
  readonly accepts: readonly Takes[];
  /** Whether it has a tool of its own that asks people. */
  readonly hasQuestions?: boolean;
  /** What of a definition it can do, beside instructions, model, skills and MCP servers; default: nothing more. */
  readonly definitions?: {
    hasEffort: boolean;
    /** Whether it keeps to a rule that denies or asks. */
    holds(rule: Rule): boolean;
  };
  /** The files of a session that was suspended, relative to `folders.home`; another attempt finds them there. */
  sessionFiles?(job: Pick<RuntimeJob, 'folders'>, session: string): Promise<string[]>;
  /** By the model, for runtimes that speak to several. Undefined: the model calls do not go through the proxy. */
  provider(model: string | undefined): Provider | undefined;
  /** Writes the files that the program reads at its start (settings, links to skills) below `folders.home`. */
  prepare(job: RuntimeJob): Promise<void>;
  command(job: RuntimeJob): RuntimeCommand;
  connect(process: RuntimeProcess, job: RuntimeJob): RuntimeSession;
}
