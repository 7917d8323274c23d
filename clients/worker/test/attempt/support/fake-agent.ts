import { join } from 'node:path';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import type { Task } from '@agent-fleet/sdk';
import { afterEach } from '@jest/globals';
import { type AgentHandler, createAgentHandler } from '../../../src/attempt/agent-handler.ts';
import type { AgentOptions } from '../../../src/attempt/agent-options.ts';
import { SILENT } from '../../../src/availability.ts';
import type { Answer, Ask } from '../../../src/messages.ts';
import type { TaskContext, TaskMessage } from '../../../src/options.ts';
import { newWorkerMark } from '../../../src/processes/marked-processes.ts';
import type { Runtime, RuntimeEvent, RuntimeJob } from '../../../src/runtimes/runtime.ts';
import { eventsOf } from '../../../src/runtimes/session/program-session.ts';
import type { Session, Used } from '../../../src/task.ts';

/** What an attempt told its fleet. */
export interface Told {
  progress: [percent: number | null, message: string | null | undefined][];
  log: { text: string; level?: string | null; stream?: string | null; type?: string; data?: unknown }[];
  used: Used[];
  jobs: RuntimeJob[];
  deltas: string[];
  asked: Ask[];
  sessions: (Session | undefined)[];
  /** What people do. */
  answer(request: Ask): Promise<Answer> | Answer;
  messages(): AsyncIterable<TaskMessage>;
  said: TaskMessage[];
  /** What the fleet has kept. */
  resume: TaskContext['resume'];
  definition: TaskContext['definition'];
  dependencies: TaskContext['dependencies'];
  hold(): void;
  onSuspend(): Promise<void>;
}

const createTold = (more: Partial<Told> = {}): Told => ({
  progress: [],
  log: [],
  used: [],
  jobs: [],
  deltas: [],
  asked: [],
  sessions: [],
  answer: () => null,
  messages: async function* () {},
  said: [],
  resume: null,
  definition: null,
  dependencies: [],
  hold: () => {},
  onSuspend: async () => {},
  ...more,
});

interface Attempt {
  result: Promise<unknown>;
  told: Told;
  abort(reason: unknown): void;
}

/** A runtime whose events are the lines that a shell script writes; `cancel` is a line that it may read. */
export function shellRuntime(script: string, jobs: RuntimeJob[] = [], more: Partial<Runtime> = {}): Runtime {
  return {
    name: 'fake',
    agentType: 'claude',
    program: 'sh',
    versions: undefined,
    accepts: [],
    provider: () => undefined,
    prepare: async (job) => void jobs.push(job),
    command: ({ session = '', prompt }) => ({ args: ['-c', script], env: { SESSION: session, PROMPT: prompt } }),
    connect: (process) => ({
      events: eventsOf(process, { read: (event) => [event as unknown as RuntimeEvent], atExit: () => [] }),
      cancel: () => void process.stdin.write('cancel\n'),
      answer: (key, answer) => void process.stdin.write(`answer ${key} ${JSON.stringify(answer)}\n`),
      say: ({ id, text, mode }) => void process.stdin.write(`say ${id} ${mode} ${text}\n`),
      interrupt: () => void process.stdin.write('interrupt\n'),
      async suspend() {
        process.stdin.write('suspend\n');
        await process.exited;
      },
    }),
    ...more,
  };
}

/** A line of a script that writes an event. */
export const say = (event: RuntimeEvent) => `printf '%s\\n' '${JSON.stringify(event)}'`;
export const DONE = say({ type: 'success', text: 'done' });

const NO_PROXY: AgentOptions['proxy'] = {
  open() {
    throw new Error('no proxy');
  },
  limitedUntil: () => undefined,
};

const NO_ASKS: AgentOptions['asks'] = {
  open: () => ({
    env: { FLEET_ASK_URL: '', FLEET_ASK_KEY: '' },
    mcp: { url: '', headers: { authorization: '' } },
    close: () => {},
  }),
};

/** What a lease carries. */
export const makeDefinition = (more: Partial<NonNullable<TaskContext['definition']>> = {}) => ({
  ...{ version: 1, description: null, instructions: null, runtime: null, model: null, effort: null, skills: [] },
  ...{ mcp_servers: [], permissions: null, workspace: null, output_schema: null, requires: [], limits: null },
  ...{ retry_policy: null, max_concurrency: null, budget: null, tags: [], created_by: null, note: null },
  created_at: '2026-11-01T00:00:00.000Z',
  ...more,
});

/** Runs attempts of scripts in a folder that is deleted at the end. */
export function useAgents() {
  const folder = ownFolder();
  const handlers: AgentHandler[] = [];
  let count = 0;
  afterEach(async () => {
    for (const handler of handlers.splice(0)) {
      handler.killAll();
      await handler.close();
    }
  });

  function handlerOf(runtime: Runtime, options: Partial<AgentOptions> = {}): AgentHandler {
    const handler = createAgentHandler({
      runtime,
      program: '/bin/sh',
      model: undefined,
      permissions: 'edit',
      approvals: 'ask',
      keep: 'failed',
      repositories: [],
      passEnv: [],
      mcpCommands: [],
      secretOf: () => undefined,
      maxCost: undefined,
      idleSeconds: 60,
      skills: 'verified',
      base: join(folder, 'base'),
      env: { PATH: process.env.PATH },
      url: 'http://127.0.0.1:9',
      credentials: async () => ({ headers: {}, secret: undefined }),
      workerMark: newWorkerMark(),
      logger: SILENT,
      proxy: NO_PROXY,
      secrets: [],
      asks: NO_ASKS,
      ...options,
    });
    handlers.push(handler);
    return handler;
  }

  function start(
    script: string,
    options: Partial<AgentOptions> = {},
    more: Partial<Task> = {},
    people: Partial<Told> = {},
  ): Attempt {
    const told = createTold(people);
    const handler = handlerOf(options.runtime ?? shellRuntime(script, told.jobs), {
      ...options,
      runtime: options.runtime ?? shellRuntime(script, told.jobs),
    });
    return startWith(handler, more, told);
  }

  function startWith(handler: AgentHandler, more: Partial<Task> = {}, told: Told = createTold()): Attempt {
    const aborts = new AbortController();
    const given = { id: `task-${++count}`, agent_id: 'a1', message: 'Work', input: null, attempt: 1 };
    const task = { ...given, ...more } as Task;
    const context: TaskContext = {
      signal: aborts.signal,
      attempt: task.attempt,
      progress: (percent, message) => void told.progress.push([percent, message]),
      log: (text, options) => void told.log.push({ text, ...options }),
      used: (used) => void told.used.push(used),
      delta: (text) => void told.deltas.push(text),
      ask: async (request) => {
        told.asked.push(request);
        return told.answer(request);
      },
      answers: new Map(),
      state: null,
      messages: () => told.messages(),
      earlierMessages: async () => told.said,
      suspend: async (session) => {
        told.sessions.push(session);
        await told.onSuspend();
      },
      onHoldEnd: (callback) => {
        told.hold = callback;
      },
      dependencies: told.dependencies,
      resume: told.resume,
      definition: told.definition,
    };
    const result = Promise.resolve(handler.handler(task as Task, context));
    result.catch(() => {});
    return { result, told, abort: (reason) => aborts.abort(reason) };
  }

  return { folder, base: join(folder, 'base'), handlerOf, start, startWith, createTold };
}
