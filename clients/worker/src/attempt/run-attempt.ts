import { join } from 'node:path';
import type { Task } from '@agent-fleet/sdk';
import { messageOf, TaskAbortError, TaskError } from '../errors.ts';
import type { TaskContext } from '../options.ts';
import type { OpenEndpoint } from '../proxy/model-proxy.ts';
import { createRedactor, type Redactor } from '../redaction.ts';
import type { Provider, RuntimeJob } from '../runtimes/runtime.ts';
import { type PlacedSkill, placeSkills } from '../skills/place-skills.ts';
import type { Changes } from '../workspace/changes.ts';
import { type Clone, changesOf, keepCopy, prepareWorkspace } from '../workspace/git-workspace.ts';
import type { AgentOptions } from './agent-options.ts';
import { converse } from './conversation.ts';
import { buildEnvironment, secretsOf } from './environment.ts';
import type { AttemptEnd } from './folders/attempt-folders.ts';
import type { OpenAttempt } from './folders/attempts.ts';
import { REPOSITORY_CACHE } from './folders/base-folder.ts';
import { createLimits, exceeded, type Limits } from './limits.ts';
import { openEventFile, type Program, startProgram } from './program.ts';
import { buildPrompt } from './prompt.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import { type Exit, failureOf, toResult } from './result.ts';
import { createUsedCounter, type UsedCounter } from './used.ts';

interface AttemptRun {
  task: Task;
  context: TaskContext;
  options: AgentOptions;
  opened: OpenAttempt;
  model: string | undefined;
  provider: Provider | undefined;
  /** In USD; undefined for no limit. */
  maxCost: number | undefined;
  /** The programs that run. */
  programs: Set<Program>;
}

/** What an attempt has while it runs. */
interface Running extends AttemptRun {
  env: Record<string, string>;
  limits: Limits;
  used: UsedCounter;
  /** From the start of the program. */
  recorder: Recorder | undefined;
  /** Lets the cache delete its copy of the repository. */
  releaseCopy(): void;
}

/** Runs one attempt, from its workspace to its result. @throws TaskError, TaskAbortError */
export async function runAttempt(run: AttemptRun): Promise<unknown> {
  const running = toRunning(run);
  const { limits, used, opened } = running;
  let end: AttemptEnd = 'abandoned';
  try {
    const result = await work(running);
    end = 'completed';
    return result;
  } catch (thrown) {
    // What failed after the abort failed by it.
    const error = limits.signal.aborted ? limits.signal.reason : thrown;
    end = endOf(error);
    throw error;
  } finally {
    limits.close();
    running.releaseCopy();
    await opened.end(end, { id: running.recorder?.facts.session ?? null, used: used.session() });
  }
}

function toRunning(run: AttemptRun): Running {
  const { task, context, options, opened } = run;
  const { env: from, passEnv: passed, idleSeconds } = options;
  return {
    ...run,
    env: buildEnvironment({ from, passed, task, attempt: context.attempt, folders: opened.folders, mark: opened.mark }),
    limits: createLimits({ timeoutSeconds: task.timeout_seconds, idleSeconds, signal: context.signal }),
    used: createUsedCounter(opened.sessionUsed, (used) => context.used(used)),
    recorder: undefined,
    releaseCopy: () => {},
  };
}

function endOf(error: unknown): AttemptEnd {
  if (!(error instanceof TaskAbortError)) return 'failed';
  return error.code === 'cancelled' ? 'cancelled' : 'abandoned';
}

async function work(running: Running): Promise<unknown> {
  const { options, limits, used } = running;
  const beganAt = performance.now();
  const { headers, secret = '' } = await options.credentials();
  const clone = await openClone(running);
  if (clone !== null) running.releaseCopy = keepCopy(clone, cacheOf(options));
  const skills = await placeSkillsOf(running, headers);
  limits.signal.throwIfAborted();
  const endpoint = openEndpoint(running);
  const redactor = createRedactor([...secretsOf(options.env, options.passEnv), secret, endpoint?.key ?? '']);
  try {
    const recorder = createRecorder({ context: running.context, redactor, used });
    running.recorder = recorder;
    const exit = await runProgram(running, recorder, toJob(running, endpoint, skills), redactor);
    // What the proxy has seen of a call that was cut counts.
    endpoint?.close();
    used.proxy(endpoint?.used());
    const { ending } = recorder.facts;
    if (ending?.type !== 'success') {
      limits.signal.throwIfAborted();
      throw failureOf(ending, exit, redactor);
    }
    const changes = await readChanges(clone, running);
    const durationMs = Math.round(performance.now() - beganAt);
    return redactor.json(toResult({ ...running, ending, recorder, skills, changes, durationMs }));
  } finally {
    endpoint?.close();
    used.proxy(endpoint?.used());
  }
}

/** A continued session has its clone already. */
async function openClone({ task, options, opened, limits }: Running): Promise<Clone | null> {
  if (opened.session !== null || !task.workspace) return opened.clone();
  const { repositories: allowed, env } = options;
  const { signal } = limits;
  const folder = opened.folders.workspace;
  const cache = cacheOf(options);
  const clone = await prepareWorkspace({ workspace: task.workspace, folder, cache, allowed, signal, env });
  await opened.setClone(clone);
  return clone;
}

const cacheOf = ({ base }: AgentOptions) => join(base, REPOSITORY_CACHE);

async function placeSkillsOf({ task, options, opened, limits }: Running, headers: Record<string, string>) {
  if (!task.skills || task.skills.length === 0) return [];
  const { skills: mode, url: registryUrl } = options;
  const { signal } = limits;
  return placeSkills({
    skills: task.skills,
    folder: opened.folders.skills,
    ...{ registryUrl, mode, signal, headers },
  });
}

/** Ends the attempt when its calls have cost what is left. */
function openEndpoint({ options, provider, maxCost, limits, used }: Running): OpenEndpoint | undefined {
  if (provider === undefined) return undefined;
  try {
    return options.proxy.open({
      provider,
      maxCost,
      onBudgetExceeded: (reason) => limits.end(exceeded(reason)),
      onUsed: (total) => {
        limits.alive();
        used.proxy(total);
      },
    });
  } catch (error) {
    throw new TaskError(messageOf(error), { code: 'auth_failed', retryable: false, cause: error });
  }
}

function toJob(running: Running, endpoint: OpenEndpoint | undefined, skills: readonly PlacedSkill[]): RuntimeJob {
  const { task, options, opened, model } = running;
  return {
    prompt: buildPrompt(task, options.runtime.name),
    folders: opened.folders,
    permissions: options.permissions,
    model,
    outputSchema: task.output_schema ?? undefined,
    session: opened.session ?? undefined,
    endpoint,
    skills: skills.map(({ name }) => name),
    approvals: 'deny',
    questions: undefined,
  };
}

/** Runs the program to its end, and kills all that it leaves behind. */
async function runProgram(running: Running, recorder: Recorder, job: RuntimeJob, redactor: Redactor): Promise<Exit> {
  const { options, opened, context, limits, programs, env } = running;
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
      await converse({ program, session: runtime.connect(program, job), recorder, limits });
    } finally {
      recorder.end();
      const left = await program.killAll();
      if (left > 0) logger.error(`Task ${running.task.id}: ${left} of its processes cannot be killed`);
      programs.delete(program);
    }
    return { ...(await program.exited), stderr: program.stderr() };
  } finally {
    await events.close();
  }
}

/** Null if they cannot be told, which is no reason to lose the result. */
async function readChanges(
  clone: Clone | null,
  { options, opened, limits, context }: Running,
): Promise<Changes | null> {
  if (clone === null) return null;
  const { signal } = limits;
  try {
    const { workspace: folder } = opened.folders;
    return await changesOf(clone, { folder, cache: cacheOf(options), env: options.env, signal });
  } catch (error) {
    context.log(`The changes of the workspace cannot be read: ${messageOf(error)}`, {
      level: 'warn',
      stream: 'system',
    });
    return null;
  }
}
