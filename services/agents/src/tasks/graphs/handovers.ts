import { isRedisUnavailable } from '@agent-fleet/shared/redis/errors';
import type { FleetContext } from '../../redis/fleet-context.ts';
import { loadFleetScript } from '../../redis/scripts.ts';
import { hearEnd } from '../rules/dependencies.ts';
import { type Dependency, idsOf, toStoredTask } from '../rules/task-state.ts';
import type { ChangeTask } from '../store/task-changer.ts';

/** Waiters that hear of an end at once. */
const STEP = 25;
/** Handovers that take a step in turn. */
const IN_TURN = 8;

export type Handovers = ReturnType<typeof createHandovers>;

/**
 * Tells tasks how those have ended that they wait for, in steps. Each may be repeated after a crash, on any replica: a
 * task hears of an end once.
 */
export function createHandovers(context: FleetContext, change: ChangeTask) {
  const { redis, keys, logger } = context;
  const endHandover = loadFleetScript(context, 'tasks/graphs/end-handover');
  let running: Promise<void> | undefined;
  let isBehind = false;

  async function tell(waiter: string, ended: string, status: NonNullable<Dependency['status']>): Promise<void> {
    // The state first, as in TaskReader.readForChange.
    const [state, json] = await Promise.all([redis.get(keys.state(waiter)), redis.get(keys.task(waiter))]);
    if (!json || !state) return;
    await change(
      idsOf(json).agent_id,
      waiter,
      (stored, now) => hearEnd(stored, ended, status, now),
      toStoredTask(json, state),
    );
  }

  async function takeStep(task: string, status: NonNullable<Dependency['status']>): Promise<void> {
    const heard = (await redis.srandmember(keys.waiters(task), STEP)) as string[];
    await Promise.all(heard.map((waiter) => tell(waiter, task, status)));
    await endHandover({ task, heard });
  }

  async function runAll(): Promise<void> {
    for (;;) {
      isBehind = false;
      const found = (await redis.hrandfield(keys.handovers, IN_TURN, 'WITHVALUES')) as string[];
      for (let at = 0; at < found.length; at += 2) {
        await takeStep(found[at] as string, found[at + 1] as NonNullable<Dependency['status']>);
      }
      if (found.length === 0 && !isBehind) return;
    }
  }

  /** Continues all handovers until none is left; what fails is left to the background job. It never rejects. */
  async function run(): Promise<void> {
    isBehind = true;
    running ??= runAll()
      .catch((error: unknown) => {
        const level = isRedisUnavailable(error) ? 'debug' : 'warn';
        logger[level]({ err: error }, 'failed to tell tasks how others have ended');
      })
      .finally(() => {
        running = undefined;
      });
    await running;
  }

  return { run };
}
