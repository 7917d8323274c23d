import type { Random } from '../../histories/random.ts';
import type { Program } from '../machines/program.ts';
import { type Fault, type Nemesis, secondsAway, secondsBetween } from './fault.ts';
import { pickRedis } from './victims.ts';

const FULL = [2, 6] as const;
const MOVED = [2, 6] as const;
const HOUR = 3_600;

/**
 * A replica whose disk is full ends itself; its restart policy starts it again. To sentinels, a primary whose disk is
 * full is lost: it answers PING with an error.
 */
export const fillDisk: Nemesis = async (fleet, random) => {
  const { node, name } = await pickRedis(fleet, random);
  const seconds = secondsAway(fleet, random);
  return {
    what: `the disk of ${name} is full for ${seconds} s`,
    seconds,
    begin() {
      node.program.mayEnd = true;
      node.fillDisk();
    },
    // It may end until all servers are back: that takes seconds.
    end: () => node.freeDisk(),
  };
};

export const fillMemory: Nemesis = async (fleet, random) => {
  const { admin, machine } = await fleet.redis.primary();
  const seconds = secondsBetween(random, ...FULL);
  return {
    what: `the memory of ${machine.name} (primary) is used up for ${seconds} s`,
    seconds,
    begin: async () => void (await admin.config('SET', 'maxmemory', '1mb')),
    end: async () => void (await admin.config('SET', 'maxmemory', '0')),
  };
};

function moveClock({ clock, name }: Program, random: Random, what = name): Fault {
  const hours = random.next() < 0.5 ? -1 : 1;
  const seconds = secondsBetween(random, ...MOVED);
  return {
    what: `the clock of ${what} is ${hours} h ahead for ${seconds} s`,
    seconds,
    begin: () => clock?.set(hours * HOUR),
    end: () => clock?.set(0),
  };
}

export const moveRedisClock: Nemesis = async (fleet, random) => {
  const { node, name } = await pickRedis(fleet, random);
  return moveClock(node.program, random, name);
};

export const moveServiceClock: Nemesis = async (fleet, random) => {
  const { agents, gateway, identity } = fleet.services;
  return moveClock(random.pick([...agents, ...gateway, ...identity]) as Program, random);
};
