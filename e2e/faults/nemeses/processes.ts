import { setTimeout as sleep } from 'node:timers/promises';
import type { Program } from '../machines/program.ts';
import { type Fault, type Nemesis, secondsAway, secondsBetween } from './fault.ts';
import { pickRedis, pickService } from './victims.ts';

const DOWN = [0.5, 5] as const;
const PAUSED = [1, 10] as const;
const LOST = [20, 24] as const;
/** When a gateway or the load balancer uses a replica that is ready again. */
const KNOWN_AFTER_MS = 3_000;

function kill(program: Program, name: string, seconds: number): Fault {
  return {
    what: `${name} is killed, and restarted after ${seconds} s`,
    seconds,
    begin: () => program.kill(),
    end: () => program.start(),
  };
}

function pause(program: Program, name: string, seconds: number): Fault {
  return {
    what: `${name} is paused for ${seconds} s`,
    seconds,
    begin: () => program.signal('SIGSTOP'),
    end: () => program.signal('SIGCONT'),
  };
}

export const killService: Nemesis = async (fleet, random) => {
  const program = pickService(fleet, random);
  return kill(program, program.name, secondsBetween(random, ...DOWN));
};

export const pauseService: Nemesis = async (fleet, random) => {
  const program = pickService(fleet, random);
  return pause(program, program.name, secondsBetween(random, ...PAUSED));
};

export const killRedis: Nemesis = async (fleet, random) => {
  const { node, name } = await pickRedis(fleet, random);
  return kill(node.program, name, secondsAway(fleet, random));
};

export const pauseRedis: Nemesis = async (fleet, random) => {
  const { node, name } = await pickRedis(fleet, random);
  return pause(node.program, name, secondsAway(fleet, random));
};

/** Longer than a failover and every timeout. */
export const losePrimary: Nemesis = async (fleet, random) => {
  const { program } = await fleet.redis.primary();
  return pause(program, `${program.name} (primary)`, secondsBetween(random, ...LOST));
};

/** Restarts the replicas of a service one after the other, as a rolling update does. */
export const restartService: Nemesis = async (fleet, random) => {
  const name = random.pick(['gateway', 'agents', 'identity'] as const) as 'gateway';
  return {
    what: `${name} is restarted, one replica after the other`,
    seconds: 0,
    async begin() {
      for (const program of fleet.services[name]) {
        await program.stop();
        program.start();
        await fleet.untilReady(program, name);
        await sleep(KNOWN_AFTER_MS);
      }
    },
    end: () => {},
  };
};

export const switchPrimary: Nemesis = async (fleet) => ({
  what: 'another server becomes the primary by a planned switch',
  seconds: 0,
  begin: () => fleet.redis.switchOver(),
  end: () => {},
});
