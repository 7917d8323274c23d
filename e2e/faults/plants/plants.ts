import { join } from 'node:path';
import { ROOT } from '@agent-fleet/scripts/services';
import type { PictureName } from '../machines/fleet.ts';
import type { Kind } from '../nemeses/nemeses.ts';

interface Edit {
  /** Relative to the root. */
  file: string;
  /** Exactly once in the file. */
  text: string;
  instead: string;
}

/** A fault in the code, and what shows it. */
export interface Plant {
  what: string;
  edits: readonly Edit[];
  picture: PictureName;
  kinds: readonly Kind[];
  seconds: number;
  /** What the checker must say. */
  violation: RegExp;
}

const AGENTS = 'services/agents/src';
const SHOWN_BY_WORK = { picture: 'sentinel', kinds: ['kill service'], seconds: 8 } as const;

/** Faults that a reviewer could miss, and that the runner must find: `npm run faults -- --self-test`. */
export const PLANTS = {
  'early-acknowledgement': {
    what: 'A change of a task is acknowledged before Redis has it',
    edits: [
      {
        file: `${AGENTS}/tasks/store/task-changer.ts`,
        text: 'const [outcome, ...reply] = await changeTask(args, ...texts);',
        instead: `void changeTask(args, ...texts).catch(() => {});
      const [outcome, ...reply] = ['changed', stored.lastEvent + 1, 0] as [string, number, number];`,
      },
    ],
    picture: 'sentinel',
    kinds: ['kill redis'],
    seconds: 10,
    violation: /completed by .*, then|deleted, then|cancelled, then|results of .* were accepted/,
  },
  'unreplicated-acknowledgement': {
    what: 'A write is acknowledged before replicas have it',
    edits: [
      {
        file: 'shared/src/redis/replicated-writes.ts',
        text: 'await promise;',
        instead: '',
      },
    ],
    picture: 'sentinel',
    kinds: ['isolate primary'],
    seconds: 10,
    violation: /created, then lost|completed by .*, then|agent .*, not/,
  },
  'missing-fence': {
    what: 'A result counts although its lease has expired',
    edits: [
      {
        file: `${AGENTS}/tasks/held-tasks.ts`,
        text: 'const isHeld = lease?.number === ref.number && isSameToken(lease.token, token) && lease.expiresAt > now;',
        instead: 'const isHeld = lease !== null && now > 0 && token.length > 0;',
      },
    ],
    ...SHOWN_BY_WORK,
    seconds: 20,
    violation: /was accepted although/,
  },
  'lost-timer': {
    what: 'A lease gets no timer',
    edits: [
      {
        file: `${AGENTS}/tasks/store/change-task-1.lua`,
        text: "call('ZADD', KEYS[1] .. 'timers', args.due, task)",
        instead: "if after ~= 'running' then call('ZADD', KEYS[1] .. 'timers', args.due, task) end",
      },
    ],
    ...SHOWN_BY_WORK,
    violation: /still running/,
  },
  'lost-queue-entry': {
    what: 'A task whose lease has expired is not queued again',
    edits: [
      {
        file: `${AGENTS}/tasks/store/change-task-1.lua`,
        text: '    and join_queue(',
        instead: "    and before ~= 'running' and join_queue(",
      },
    ],
    ...SHOWN_BY_WORK,
    violation: /still pending/,
  },
  'lost-event': {
    what: 'A retry has no event',
    edits: [
      {
        file: `${AGENTS}/tasks/store/change-task-1.lua`,
        text: '  last = append_event(agent, event)',
        instead: "  if event.type ~= 'task.retry' then last = append_event(agent, event) end",
      },
    ],
    ...SHOWN_BY_WORK,
    violation: /leased while running|its events say/,
  },
  'forgotten-reply': {
    what: 'The reply of an Idempotency-Key is not kept',
    edits: [
      {
        file: `${AGENTS}/tasks/store/create-tasks-1.lua`,
        text: 'keep_reply(args.kept, ARGV[2])',
        instead: '-- Not kept.',
      },
    ],
    ...SHOWN_BY_WORK,
    violation: /the repeated creation is|created more than once/,
  },
  'lost-audit-entry': {
    what: 'An entry leaves the outbox before it is in the audit trail',
    edits: [
      {
        file: `${AGENTS}/audit/take-entries-1.lua`,
        text: 'reply[#reply + 1] = entry[1]',
        instead: `redis.call('XDEL', outbox, entry[1])
  reply[#reply + 1] = entry[1]`,
      },
    ],
    ...SHOWN_BY_WORK,
    violation: /not in the audit trail/,
  },
  'stale-cache': {
    what: 'A gateway keeps what it knows of a key after its revocation',
    edits: [
      {
        file: 'gateway/src/auth/credentials/credential-cache.ts',
        text: 'for (const credential of this.#byTag.get(tag) ?? []) this.#kept.delete(credential);',
        instead: 'void this.#byTag.get(tag);',
      },
    ],
    ...SHOWN_BY_WORK,
    seconds: 15,
    violation: /accepted \d+ ms after its end/,
  },
  hang: {
    what: 'A lost primary keeps its connections',
    edits: [
      { file: 'shared/src/redis/connection.ts', text: 'commandTimeout: 5_000,', instead: 'commandTimeout: 120_000,' },
      { file: 'shared/src/redis/connection.ts', text: 'failoverDetector: true,', instead: 'failoverDetector: false,' },
      // Reads that find the new primary would make writes follow them.
      {
        file: 'shared/src/redis/connection.ts',
        text: 'socketTimeout: READ_WAIT_MS.restart',
        instead: 'socketTimeout: 120_000',
      },
    ],
    picture: 'sentinel',
    kinds: ['lose primary'],
    seconds: 5,
    violation: /no write for|no response within/,
  },
} as const satisfies Record<string, Plant>;

export function plantNamed(name: string): Plant | undefined {
  return Object.hasOwn(PLANTS, name) ? PLANTS[name as keyof typeof PLANTS] : undefined;
}

/** Puts the fault into the text of a file. @throws if the file has not each text once */
export function plantInto(plant: Plant, path: string, source: string): string {
  let planted = source;
  for (const { file, text, instead } of plant.edits.filter((edit) => join(ROOT, edit.file) === path)) {
    if (planted.split(text).length !== 2) throw new Error(`${file} has not once: ${text}`);
    planted = planted.replace(text, () => instead);
  }
  return planted;
}
