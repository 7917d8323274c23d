import { join } from 'node:path';
import { limitedError, messageOf, TaskAbortError, TaskError } from '../errors.ts';
import type { OpenEndpoint } from '../proxy/model-proxy.ts';
import { createRedactor } from '../redaction.ts';
import { placeSkills } from '../skills/place-skills.ts';
import type { Changes } from '../workspace/changes.ts';
import { type Clone, changesOf, keepCopy, prepareWorkspace } from '../workspace/git-workspace.ts';
import type { AgentOptions } from './agent-options.ts';
import { writeDependencies } from './dependency-files.ts';
import { buildEnvironment, secretsOf } from './environment.ts';
import type { AttemptEnd } from './folders/attempt-folders.ts';
import { REPOSITORY_CACHE } from './folders/base-folder.ts';
import { createLimits, exceeded } from './limits.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import { failureOf, toResult } from './result.ts';
import { type AttemptRun, keepSession, openTalk, type Running, runPrograms, toJob } from './run-programs.ts';
import { createUsedCounter } from './used.ts';

/** Runs one attempt, from its workspace to its result. @throws TaskError, TaskAbortError */
export async function runAttempt(run: AttemptRun): Promise<unknown> {
  const running = toRunning(run);
  const { limits, opened } = running;
  let end: AttemptEnd = 'abandoned';
  try {
    const result = await work(running);
    end = 'completed';
    return result;
  } catch (thrown) {
    // What failed after the abort failed by it.
    const error = limits.signal.aborted && !isLimited(thrown) ? limits.signal.reason : thrown;
    end = endOf(error);
    throw error;
  } finally {
    limits.close();
    running.releaseCopy();
    await opened.end(end, running.recorder?.facts.session ?? null);
  }
}

function toRunning(run: AttemptRun): Running {
  const { task, context, options, opened } = run;
  const { env: from, passEnv: passed, idleSeconds } = options;
  return {
    ...run,
    env: buildEnvironment({ from, passed, task, attempt: context.attempt, folders: opened.folders, mark: opened.mark }),
    limits: createLimits({ timeoutSeconds: task.timeout_seconds, idleSeconds, signal: context.signal }),
    used: createUsedCounter((used) => context.used(used)),
    recorder: undefined,
    limitedUntil: undefined,
    releaseCopy: () => {},
  };
}

function endOf(error: unknown): AttemptEnd {
  if (isLimited(error)) return 'suspended';
  if (!(error instanceof TaskAbortError)) return 'failed';
  return error.code === 'cancelled' || error.code === 'suspended' ? error.code : 'abandoned';
}

async function work(running: Running): Promise<unknown> {
  const { task, context, options, opened, limits, used } = running;
  const beganAt = performance.now();
  const { signal } = limits;
  const { headers, secret = '' } = await options.credentials();
  const clone = await openClone(running);
  if (clone !== null) running.releaseCopy = keepCopy(clone, cacheOf(options));
  const { skills: mode, url: registryUrl } = options;
  const { skills: folder } = opened.folders;
  const skills = await placeSkills({ skills: task.skills ?? [], folder, registryUrl, mode, signal, headers });
  await writeDependencies(opened.folders, context.dependencies);
  signal.throwIfAborted();
  const endpoint = openEndpoint(running);
  const redactor = createRedactor([
    ...secretsOf(options.env, options.passEnv),
    ...running.secrets,
    secret,
    endpoint?.key ?? '',
    ...options.secrets,
  ]);
  const recorder = createRecorder({ context, runtime: options.runtime.name, redactor, used });
  running.recorder = recorder;
  const run = async () => {
    const talk = await openTalk(running, recorder, redactor);
    const job = toJob(running, talk, endpoint, skills);
    try {
      const exit = await runPrograms(running, talk, job, () => readChanges(clone, running));
      requireReached(talk.relay?.unreached(), recorder);
      return exit;
    } finally {
      talk.questions.close();
      await talk.relay?.close();
    }
  };
  const exit = await run().finally(() => {
    endpoint?.close();
    // What the proxy has seen of a call that was cut counts.
    used.proxy(endpoint?.used());
  });
  const { ending } = recorder.facts;
  if (ending?.type !== 'success') {
    const { limitedUntil } = running;
    if (!isLimited(signal.reason)) signal.throwIfAborted();
    const error = failureOf(ending, { ...exit, limitedUntil }, redactor);
    throw error.retryAt === undefined ? error : await withSession(error, running, await readChanges(clone, running));
  }
  const changes = await readChanges(clone, running);
  const durationMs = Math.round(performance.now() - beganAt);
  return redactor.json(toResult({ ...running, ending, recorder, skills, changes, durationMs }));
}

/** An agent that was without a server of its definition may have done something else. */
function requireReached(names: string[] = [], { facts }: Recorder): void {
  if (names.length === 0 || facts.ending?.type !== 'success') return;
  const message = `The agent has not connected to MCP servers of its definition: ${names.join(', ')}`;
  throw new TaskError(message, { code: 'mcp_unavailable' });
}

/** How long a program may take to end by itself once the provider refuses its calls: some try for ever. */
const LIMITED_MS = 10_000;

const isLimited = (reason: unknown) => reason instanceof TaskError && reason.retryAt !== undefined;

/** The task goes on with the session when the provider takes calls again. */
async function withSession(error: TaskError, running: Running, changes: Changes | null): Promise<TaskError> {
  const { recorder, opened } = running;
  const id = recorder?.facts.session ?? opened.session ?? undefined;
  const session = await keepSession(running, opened, id, changes);
  const { code, retryAt } = error;
  return new TaskError(error.message, { code, retryAt, session });
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

/** Ends the attempt when its calls have cost what is left. */
function openEndpoint(running: Running): OpenEndpoint | undefined {
  const { options, provider, maxCost, limits, used, context } = running;
  const maxTurns = context.definition?.limits?.max_turns;
  let turns = 0;
  if (provider === undefined) return undefined;
  try {
    return options.proxy.open({
      provider,
      maxCost,
      onLimited: (until) => {
        running.limitedUntil = until;
        limits.endIn(LIMITED_MS, () => limitedError(until));
      },
      onBudgetExceeded: (reason) => limits.end(exceeded(reason)),
      onTurn: () => {
        turns += 1;
        if (maxTurns && turns > maxTurns)
          limits.end(exceeded(`The agent has used its max_turns, ${maxTurns}`, 'max_turns'));
      },
      onUsed: (total) => {
        limits.alive();
        limits.goOn();
        running.limitedUntil = undefined;
        used.proxy(total);
      },
    });
  } catch (error) {
    throw new TaskError(messageOf(error), { code: 'auth_failed', retryable: false, cause: error });
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
