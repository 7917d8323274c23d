import type { Task } from '@agent-fleet/sdk';
import { limitedError, TaskError } from '../errors.ts';
import type { TaskContext } from '../options.ts';
import type { AgentOptions } from './agent-options.ts';
import { openServersOf, permissionsOf, withDefinition } from './definition.ts';
import { Attempts } from './folders/attempts.ts';
import { budgetLeft } from './limits.ts';
import type { Program } from './program.ts';
import { runAttempt } from './run-attempt.ts';

export type AgentHandler = ReturnType<typeof createAgentHandler>;

/** Has an agent work on each task, in folders, an environment and a process group of its own. */
export function createAgentHandler(options: AgentOptions) {
  const { base, keep, runtime, workerMark, logger } = options;
  const onError = (message: string) => logger.warn(message);
  const attempts = new Attempts({ base, rule: keep, runtime: runtime.name, workerMark, onError });
  const programs = new Set<Program>();
  return {
    async handler(given: Task, context: TaskContext): Promise<unknown> {
      const task = withDefinition(given, context.definition);
      const { permissions, rules } = permissionsOf(context.definition, options);
      const model = task.model ?? options.model;
      const provider = runtime.provider(model);
      const until = provider && options.proxy.limitedUntil(provider);
      if (until !== undefined) throw limitedError(until);
      const maxCost = budgetLeft(task, options.maxCost, provider !== undefined);
      if (task.workspace && options.repositories.length === 0) {
        const message = 'This worker takes no tasks with a repository; --repository <prefix> allows some';
        throw new TaskError(message, { code: 'workspace_failed', retryable: false });
      }
      const suspended = context.resume && { id: null, ...context.resume.session };
      const servers = openServersOf(context.definition, options);
      const opened = await attempts.open(task, context.attempt, suspended ?? undefined);
      return runAttempt({
        ...{ task, context, options, opened, model, provider, maxCost, programs },
        ...{ permissions, rules, ...servers },
      });
    },
    /** Deletes the folders of earlier attempts that are not kept. */
    sweep: () => attempts.sweep(),
    /** Kills all programs with SIGKILL, at once. */
    killAll: () => {
      for (const program of programs) void program.killAll();
    },
    close: () => attempts.close(),
  };
}
