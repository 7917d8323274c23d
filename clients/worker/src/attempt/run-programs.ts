import { readdir } from 'node:fs/promises';
import type { Task } from '@agent-fleet/sdk';
import { TaskError } from '../errors.ts';
import type { TaskContext } from '../options.ts';
import type { OpenEndpoint } from '../proxy/model-proxy.ts';
import type { Redactor } from '../redaction.ts';
import type { Rules } from '../runtimes/rules.ts';
import { ASK_SERVER, type Permissions, type Provider, type RuntimeJob } from '../runtimes/runtime.ts';
import type { PlacedSkill } from '../skills/place-skills.ts';
import type { Session } from '../task.ts';
import type { Changes } from '../workspace/changes.ts';
import type { AgentOptions } from './agent-options.ts';
import { converse } from './conversation.ts';
import { noticesOf, type OpenServer } from './definition.ts';
import { dependencyFolder } from './dependency-files.ts';
import { createEarlierAnswers } from './earlier-answers.ts';
import type { OpenAttempt } from './folders/attempts.ts';
import type { Limits } from './limits.ts';
import { Mediator, type MediatorOptions } from './mediator.ts';
import { openEventFile, type Program, startProgram } from './program.ts';
import { buildPrompt } from './prompt.ts';
import type { Recorder } from './recorder.ts';
import type { Exit } from './result.ts';
import { createGate } from './servers/gate.ts';
import { openRelay } from './servers/relay.ts';
import { packSession } from './session-files.ts';
import type { UsedCounter } from './used.ts';

export interface AttemptRun {
  task: Task;
  context: TaskContext;
  options: AgentOptions;
  opened: OpenAttempt;
  model: string | undefined;
  provider: Provider | undefined;
  /** In USD; undefined for no limit. */
  maxCost: number | undefined;
  permissions: Permissions;
  rules: Rules;
  /** Of the definition, with their secrets; those are kept out of all output. */
  servers: readonly OpenServer[];
  secrets: readonly string[];
  /** The programs that run. */
  programs: Set<Program>;
}

/** What an attempt has while it runs. */
export interface Running extends AttemptRun {
  env: Record<string, string>;
  limits: Limits;
  used: UsedCounter;
  /** When the provider takes calls again, if it has said so; milliseconds since 1970. */
  limitedUntil: number | undefined;
  /** From the start of the program. */
  recorder: Recorder | undefined;
  /** Lets the cache delete its copy of the repository. */
  releaseCopy(): void;
}

type Talk = Awaited<ReturnType<typeof openTalk>>;

/** What the programs of an attempt have in common. */
export async function openTalk(running: Running, recorder: Recorder, redactor: Redactor) {
  const { context, limits, opened, options } = running;
  const { answers = [], state } = context.resume ?? {};
  const earlier = createEarlierAnswers(answers, redactor);
  const { deferred = [] } = (opened.session === null ? {} : (state ?? {})) as { deferred?: string[] };
  for (const key of deferred) earlier.defer(key);
  const warn = (text: string) => context.log(text, { level: 'warn', stream: 'system' });
  const onAsk = () => opened.setAsked(recorder.facts.session);
  const { workspace } = opened.folders;
  const permits: MediatorOptions['permits'] = ({ name, input }) =>
    running.rules.verdict(name, input, workspace) === 'allow';
  const mediator = new Mediator({ context, redactor, limits, earlier, onAsk, warn, permits });
  /** What people said before the attempt. */
  const said = options.runtime.accepts.includes('messages') ? await context.earlierMessages() : [];
  const questions = running.options.asks.open({
    log: context.log,
    ask: (ask, { signal } = {}) => mediator.ask(ask, signal),
  });
  const relay = await openServers(running, { recorder, redactor, mediator });
  for (const notice of noticesOf(context.definition, options)) warn(notice);
  return { recorder, redactor, earlier, mediator, said, questions, relay };
}

interface Told {
  recorder: Recorder;
  redactor: Redactor;
  mediator: Mediator;
}

/** The MCP servers of the definition; undefined without any. */
async function openServers(running: Running, { recorder, redactor, mediator }: Told) {
  const { servers, context, opened, env, limits, options } = running;
  if (servers.length === 0) return undefined;
  const { workspace } = opened.folders;
  return openRelay(servers, {
    program: { env, cwd: workspace, mark: opened.mark },
    refuse: createGate({
      ...{ ...running, approvals: options.approvals, workspace },
      permit: (ask, signal) => mediator.permit(ask, signal),
      onDenied: (tool, detail) => recorder.add({ type: 'denied', tool, detail }),
    }),
    onStderr: (line) => context.log(redactor.text(line), { stream: 'stderr' }),
    onFailure(why, isStart) {
      const message = redactor.text(why);
      context.log(message, { level: 'warn', stream: 'system' });
      if (isStart) limits.end(new TaskError(message, { code: 'mcp_unavailable' }));
    },
  });
}

export function toJob(
  { task, context, options, opened, model, permissions, rules }: Running,
  { earlier, mediator, said, questions, relay }: Talk,
  endpoint: OpenEndpoint | undefined,
  skills: readonly PlacedSkill[],
): RuntimeJob {
  const { session } = opened;
  const { definition } = context;
  const isResumed = context.resume !== null;
  const goesOn = isResumed && session !== null;
  const texts = said.filter(({ id }) => id !== null).map(({ text }) => text);
  if (isResumed) texts.unshift(earlier.prompt());
  for (const message of said) {
    if (goesOn) mediator.say(message);
    else message.delivered('prompt');
  }
  return {
    prompt: goesOn
      ? earlier.prompt()
      : buildPrompt(task, options.runtime.name, texts, {
          dependencies: context.dependencies,
          folder: dependencyFolder(opened.folders),
        }),
    folders: opened.folders,
    permissions,
    model,
    outputSchema: task.output_schema ?? undefined,
    session: session ?? undefined,
    endpoint,
    skills: skills.map(({ name }) => name),
    approvals: options.approvals,
    instructions: definition ? (definition.instructions ?? '') : undefined,
    effort: definition?.effort ?? undefined,
    rules,
    servers: [
      ...(options.runtime.hasQuestions ? [] : [{ name: ASK_SERVER, ...questions.mcp }]),
      ...(relay?.servers ?? []),
    ],
  };
}

/** Runs the program until it has ended; again, if it was suspended for answers that came meanwhile. */
export async function runPrograms(
  running: Running,
  talk: Talk,
  first: RuntimeJob,
  readChanges: () => Promise<Changes | null>,
): Promise<Exit> {
  const { context } = running;
  const { recorder, mediator, earlier } = talk;
  void mediator.listen();
  for (let job = first; ; ) {
    const hold = Promise.withResolvers<void>();
    context.onHoldEnd(hold.resolve);
    const exit = await runProgram(running, talk, job, hold.promise);
    if (!mediator.isSuspended || recorder.facts.ending !== undefined) return exit;
    const session = recorder.facts.session ?? job.session;
    context.state = { deferred: earlier.deferred() };
    await context.suspend(await keepSession(running, job, session, await readChanges()));
    await mediator.settle();
    const prompt = session === undefined ? `${first.prompt}\n\n${earlier.prompt()}` : earlier.prompt();
    job = { ...job, session, prompt };
  }
}

/** Runs the program to its end, and kills all that it leaves behind. */
async function runProgram(running: Running, talk: Talk, job: RuntimeJob, hold: Promise<void>): Promise<Exit> {
  const { options, opened, context, limits, programs, env } = running;
  const { recorder, mediator, redactor } = talk;
  const { runtime, logger } = options;
  await runtime.prepare(job);
  const command = runtime.command(job);
  const events = await openEventFile(job.folders.events, redactor);
  try {
    const program = await startProgram({
      path: options.program,
      args: command.args,
      env: { ...env, ...command.env },
      cwd: job.folders.workspace,
      ...{ redactor, events, mark: opened.mark },
      onStderr: (line) => context.log(line, { stream: 'stderr' }),
    });
    programs.add(program);
    try {
      limits.alive();
      const session = runtime.connect(program, job);
      mediator.attach(session);
      await converse({ program, session, recorder, limits, mediator, hold });
    } finally {
      recorder.end(mediator.isSuspended);
      const left = await program.killAll();
      if (left > 0) logger.error(`Task ${running.task.id}: ${left} of its processes cannot be killed`);
      programs.delete(program);
    }
    return { ...(await program.exited), stderr: program.stderr() };
  } finally {
    await events.close();
  }
}

/** Its files go along where they are all that the attempt has made; else this worker has to go on. */
export async function keepSession(
  { options: { runtime }, opened }: Running,
  job: Pick<RuntimeJob, 'folders'>,
  id: string | undefined,
  changes: Changes | null,
): Promise<Session | undefined> {
  if (id === undefined) return undefined;
  await opened.setAsked(id);
  const isUnchanged =
    changes === null ? (await readdir(job.folders.workspace)).length === 0 : changes.files.length === 0;
  const files = isUnchanged ? await runtime.sessionFiles?.(job, id) : undefined;
  const data = files && (await packSession(job.folders, files));
  return { runtime: runtime.name, id, ...(data !== undefined && { data }) };
}
