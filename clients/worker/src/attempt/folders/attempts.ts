import type { Task } from '@agent-fleet/sdk';
import { messageOf, TaskError } from '../../errors.ts';
import { newAttemptMark } from '../../processes/marked-processes.ts';
import type { AttemptFolders } from '../../runtimes/runtime.ts';
import type { Clone } from '../../workspace/git-workspace.ts';
import { unpackSession } from '../session-files.ts';
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
  /** Of an earlier task that this one continues, or of an attempt that was suspended. */
  session: string | null;
  /** Of the repository in the workspace. */
  clone(): Clone | null;
  /** Remembers it. */
  setClone(clone: Clone): Promise<void>;
  /** Remembers the session of an attempt that asks a person, in case that the worker is killed. */
  setAsked(session: string | null): Promise<void>;
  /** Keeps or deletes the folders, by the rule. Never rejects. */
  end(end: AttemptEnd, session: string | null): Promise<void>;
}

/** What the fleet has kept of a session. */
interface Suspended {
  id: string | null;
  data?: string | null;
}

interface Found {
  root: string;
  before: Marker;
}

function sessionLost(task: string): TaskError {
  const message = `This worker has no session of task ${task}: it ran elsewhere, or its folders were deleted`;
  return new TaskError(message, { code: 'session_lost', retryable: false });
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
export class Attempts {
  readonly #options: AttemptsOptions;
  readonly #busy = new Set<string>();
  readonly #sweep: () => Promise<void>;
  readonly #timer: NodeJS.Timeout;
  #sweeping = Promise.resolve();

  constructor(options: AttemptsOptions) {
    this.#options = options;
    this.#sweep = createSweep({ base: options.base, rule: options.rule, busy: this.#busy });
    this.#timer = setInterval(() => void this.sweep(), SWEEP_MS).unref();
  }

  /**
   * @param suspended the session of an earlier attempt of the task; its id is null where nobody knows it
   * @throws TaskError `session_lost` if the task continues one whose session is not here
   */
  async open(task: Task, attempt: number, suspended?: Suspended): Promise<OpenAttempt> {
    const { base, runtime, workerMark } = this.#options;
    const mark = newAttemptMark(workerMark);
    const times = { startedAt: Date.now(), end: null, endedAt: null };
    const marker: Marker = { task: task.id, tasks: [task.id], runtime, session: null, clone: null, mark, ...times };
    // That of an attempt which was suspended, or killed, while it asked a person.
    const isOwn = ({ before }: Found) => (suspended?.id ? before.session === suspended.id : before.hasAsked);
    const own = suspended && (await this.#sessionsOf(task.id)).find(isOwn);
    if (own) return this.#goOn(task, own, marker);
    if (suspended?.id && suspended.data) return this.#unpack(attemptRoot(base, task.id, attempt), marker, suspended);
    if (suspended?.id) throw sessionLost(task.id);
    if (task.continue_of) {
      const [newest] = await this.#sessionsOf(task.continue_of);
      if (newest === undefined) throw sessionLost(task.continue_of);
      return this.#goOn(task, newest, marker);
    }
    const root = attemptRoot(base, task.id, attempt);
    return this.#take(root, async () => this.#opened(await createFolders(root, marker), marker, undefined));
  }

  /** Sweeps run one after the other, and delay no task. */
  sweep(): Promise<void> {
    const report = (error: unknown) => this.#options.onError(`Failed to delete old workspaces: ${messageOf(error)}`);
    this.#sweeping = this.#sweeping.then(this.#sweep).catch(report);
    return this.#sweeping;
  }

  /** Resolves when the last sweep has ended. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sweeping;
  }

  async #goOn(task: Task, { root, before }: Found, marker: Marker): Promise<OpenAttempt> {
    return this.#take(root, async () => {
      const tasks = [...before.tasks.filter((id) => id !== task.id), task.id];
      const { session, clone } = before;
      const next = { ...marker, tasks, session, clone };
      await writeMarker(root, next);
      return this.#opened(await renewFolders(root, next), next, before);
    });
  }

  /** The session comes from another worker. */
  async #unpack(root: string, marker: Marker, { id, data }: Suspended): Promise<OpenAttempt> {
    return this.#take(root, async () => {
      const next = { ...marker, session: id };
      const folders = await createFolders(root, next);
      await unpackSession(folders, data ?? '');
      return this.#opened(folders, next, next);
    });
  }

  /** Those that the task was part of, the newest first. */
  async #sessionsOf(task: string): Promise<Found[]> {
    const { base, rule, runtime } = this.#options;
    const found: Found[] = [];
    for (const root of await listAttempts(base)) {
      const before = await readMarker(root);
      const isSession = before?.runtime === runtime && before.session !== null && before.tasks.includes(task);
      if (isSession && (this.#busy.has(root) || isKept(before, rule))) found.push({ root, before });
    }
    return found.sort((a, b) => b.before.startedAt - a.before.startedAt);
  }

  /** @throws TaskError if another attempt is in the folder */
  async #take(root: string, open: () => Promise<OpenAttempt>): Promise<OpenAttempt> {
    if (this.#busy.has(root)) throw new TaskError('Another task is using this session', { code: 'session_lost' });
    this.#busy.add(root);
    try {
      return await open();
    } catch (error) {
      this.#busy.delete(root);
      throw error;
    }
  }

  #opened(folders: AttemptFolders, start: Marker, before: Marker | undefined): OpenAttempt {
    let marker = start;
    return {
      folders,
      mark: marker.mark,
      session: before?.session ?? null,
      clone: () => marker.clone,
      setClone: (clone) => {
        marker = { ...marker, clone };
        return writeMarker(folders.root, marker);
      },
      setAsked: (session) => {
        marker = { ...marker, session: session ?? marker.session, hasAsked: true };
        return writeMarker(folders.root, marker);
      },
      end: (end, session) => {
        return this.#end(folders.root, { ...marker, session: session ?? marker.session, end, endedAt: Date.now() });
      },
    };
  }

  async #end(root: string, ended: Marker): Promise<void> {
    const { rule, onError } = this.#options;
    try {
      await removeTemporary(root, ended);
      if (isKept(ended, rule)) await writeMarker(root, ended);
      else await removeAttempt(root);
    } catch (error) {
      onError(`Failed to clean up ${root}: ${messageOf(error)}`);
    }
    this.#busy.delete(root);
    void this.sweep();
  }
}
