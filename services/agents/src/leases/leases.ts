import { connectRedis } from '@agent-fleet/shared/redis/connection';
import { StreamReader } from '@agent-fleet/shared/redis/stream-reader';
import { toFields } from '../events/event.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import { createReadResults } from '../tasks/graphs/results.ts';
import type { Tasks } from '../tasks/tasks.ts';
import { createHeldLeases, type HeldLeasesParts } from './held-leases.ts';
import { LeaseAcquirer } from './lease-acquirer.ts';
import { createLeaseList } from './lease-list.ts';
import { createLeasing, type LeasingParts as Leasing } from './leasing.ts';
import { agentTopic, reservedTopic, typeTopic, WorkNotifier } from './work-notifier.ts';

interface LeasesParts extends Pick<Leasing, 'readResume' | 'definitions'>, HeldLeasesParts {
  tasks: Tasks;
}

export function createLeases(context: FleetContext, parts: LeasesParts) {
  const { tasks, activity, readResume, definitions } = parts;
  const notifier = new WorkNotifier();
  const wakeups = readWakeups(context, notifier);
  const held = createHeldLeases(parts);
  const leasing = createLeasing(context, {
    acquirer: new LeaseAcquirer(context, tasks.change),
    notifier,
    readWakeups: () => wakeups.use(),
    release: held.release,
    readResume,
    activity,
    definitions,
    readResults: createReadResults(tasks.reader),
  });
  return {
    operations: { ...held, ...leasing, ...createLeaseList(context, tasks.search) },
    /** Responds to all requests that wait. */
    endWaits: () => notifier.close(),
    close: () => wakeups.close(),
  };
}

/** Notifies requests that wait of the wakeups of all replicas. */
function readWakeups({ config, keys, logger }: FleetContext, notifier: WorkNotifier): StreamReader {
  return new StreamReader({
    redis: connectRedis(config.redis.url, logger),
    key: keys.wakeups,
    onEntry([, fields]) {
      const { a: agentId = '', y: type = '', n: count, w: worker, s: needs = '' } = toFields(fields);
      const topics = [agentTopic(agentId), typeTopic(type)];
      const toTopic = (topic: string) => (worker ? reservedTopic(topic, worker) : topic);
      notifier.notify({ topics: topics.map(toTopic), needs: worker ? '' : needs }, Number(count));
    },
    onGap: () => notifier.notifyAll(),
    logger,
  });
}
