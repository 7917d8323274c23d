import { messageOf, TaskError } from '../../errors.ts';
import { newAttemptMark } from '../../processes/marked-processes.ts';
import type { AttemptFolders } from '../../runtimes/runtime.ts';
import type { Used } from '../../task.ts';
import type { Clone } from '../../workspace/git-workspace.ts';
import type { AgentTask } from '../agent-options.ts';
import {
  type AttemptEnd,
  attemptRoot,
  createFolders,
  listAttempts,
  type Marker,
  readMarker,
  removeTemporary,
  renewFolders,
  writeMarker,
} from './attempt-folders.ts';
import { createSweep, isKept, type KeepRule, removeAttempt } from './sweep.ts';

const SWEEP_MS = 3_600_000;

/** An attempt that runs. */
export interface OpenAttempt {
  folders: AttemptFolders;
  /** `FLEET_ATTEMPT_ID` of its processes. */
  mark: string;
  /** Of an earlier task, when this one continues it. */
  session: string | null;
  /** Of the repository in the workspace. */
  clone(): Clone | null;
  /** Remembers it. */
  setClone(clone: Clone): Promise<void>;
  /** Usage of the session before this attempt. */
  sessionUsed: Used | null;
  /** Keeps or deletes the folders, by the rule. Never rejects. */
  end(end: AttemptEnd, session: { id: string | null; used: Used | null }): Promise<void>;
}

interface AttemptsOptions {
  base: string;
  rule: KeepRule;
  runtime: string;
  workerMark: string;
  onError(message: string): void;
}

/**
 * The attempts of this worker, their folders, and those that are kept. A task that continues another one works in the
 * folders of that one, at the same path: runtimes find a session by its working directory.
 */
export function createAttempts({ base, rule, runtime, workerMark, onError }: AttemptsOptions) {
  const busy = new Set<string>();
  const sweep = createSweep({ base, rule, busy });
  let sweeping = Promise.resolve();

  /** Sweeps run one after the other, and delay no task. */
  function sweepSoon(): Promise<void> {
    sweeping = sweeping.then(sweep).catch((error) => onError(`Failed to delete old workspaces: ${messageOf(error)}`));
    return sweeping;
  }
  const timer = setInterval(() => void sweepSoon(), SWEEP_MS).unref();

  function opened(folders: AttemptFolders, start: Marker, before: Marker | undefined): OpenAttempt {
    let marker = start;
    return {
      folders,
      mark: marker.mark,
      session: before?.session ?? null,
      sessionUsed: before?.sessionUsed ?? null,
      clone: () => marker.clone,
      setClone(clone) {
        marker = { ...marker, clone };
        return writeMarker(folders.root, marker);
      },
      async end(end, { id, used }) {
        const session = { session: id ?? marker.session, sessionUsed: used ?? marker.sessionUsed };
        const ended: Marker = { ...marker, ...session, end, endedAt: Date.now() };
        try {
          await removeTemporary(folders.root, marker);
          if (isKept(ended, rule)) await writeMarker(folders.root, ended);
          else await removeAttempt(folders.root);
        } catch (error) {
          onError(`Failed to clean up ${folders.root}: ${messageOf(error)}`);
        }
        busy.delete(folders.root);
        void sweepSoon();
      },
    };
  }

  async function create(task: AgentTask, attempt: number, marker: Marker): Promise<OpenAttempt> {
    const root = attemptRoot(base, task.id, attempt);
    take(busy, root);
    try {
      return opened(await createFolders(root, marker), marker, undefined);
    } catch (error) {
      busy.delete(root);
      throw error;
    }
  }

  async function resume(task: AgentTask, continued: string, marker: Marker): Promise<OpenAttempt> {
    const { root, before } = await find(continued);
    take(busy, root);
    try {
      const tasks = [...before.tasks.filter((id) => id !== task.id), task.id];
      const { session, sessionUsed, clone } = before;
      const next = { ...marker, tasks, session, sessionUsed, clone };
      await writeMarker(root, next);
      return opened(await renewFolders(root, next), next, before);
    } catch (error) {
      busy.delete(root);
      throw error;
    }
  }

  /** The newest session that the task was part of. @throws TaskError `session_lost` */
  async function find(continued: string): Promise<{ root: string; before: Marker }> {
    const found: { root: string; before: Marker }[] = [];
    for (const root of await listAttempts(base)) {
      const before = await readMarker(root);
      const isSession = before?.runtime === runtime && before.session !== null && before.tasks.includes(continued);
      if (isSession && (busy.has(root) || isKept(before, rule))) found.push({ root, before });
    }
    found.sort((a, b) => b.before.startedAt - a.before.startedAt);
    if (found[0] !== undefined) return found[0];
    const message = `This worker has no session of task ${continued}: it ran elsewhere, or its folders were deleted`;
    throw new TaskError(message, { code: 'session_lost', retryable: false });
  }

  return {
    /** @throws TaskError `session_lost` if the task continues one whose session is not here */
    open(task: AgentTask, attempt: number): Promise<OpenAttempt> {
      const mark = newAttemptMark(workerMark);
      const session = { session: null, sessionUsed: null };
      const times = { startedAt: Date.now(), end: null, endedAt: null };
      const marker: Marker = { task: task.id, tasks: [task.id], runtime, ...session, clone: null, mark, ...times };
      return task.continue_of ? resume(task, task.continue_of, marker) : create(task, attempt, marker);
    },
    sweep: sweepSoon,
    /** Resolves when the last sweep has ended. */
    async close(): Promise<void> {
      clearInterval(timer);
      await sweeping;
    },
  };
}

/** @throws TaskError if another attempt is in the folder */
function take(busy: Set<string>, root: string): void {
  if (busy.has(root)) throw new TaskError('Another task is using this session', { code: 'session_lost' });
  busy.add(root);
}
