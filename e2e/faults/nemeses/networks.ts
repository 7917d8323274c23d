import type { Fleet } from '../machines/fleet.ts';
import type { Machine } from '../machines/network.ts';
import { type Fault, type Nemesis, secondsAway, secondsBetween } from './fault.ts';
import { pickRedis, pickService } from './victims.ts';

const CUT = [2, 10] as const;

function cutFor(fleet: Fleet, seconds: number, what: string, begin: () => void): Fault {
  return { what: `${what} for ${seconds} s`, seconds, begin, end: () => fleet.network.heal() };
}

/** Between any two machines, every second time in one direction only. */
export const cutTwo: Nemesis = async (fleet, random) => {
  const { machines } = fleet.network;
  const one = random.pick(machines) as Machine;
  const other = random.pick(machines.filter((machine) => machine !== one)) as Machine;
  const seconds = secondsBetween(random, ...CUT);
  if (random.next() < 0.5) {
    const what = `${one.name} receives nothing from ${other.name}`;
    return cutFor(fleet, seconds, what, () => fleet.network.cutOneWay([other], one));
  }
  return cutFor(fleet, seconds, `${one.name} and ${other.name} are cut`, () => fleet.network.cut([one], [other]));
};

function isolate(fleet: Fleet, seconds: number, machine: Machine, name: string): Fault {
  const { network } = fleet;
  return cutFor(fleet, seconds, `${name} is cut off`, () => network.cut([machine], network.except([machine])));
}

export const isolateService: Nemesis = async (fleet, random) => {
  const { machine } = pickService(fleet, random);
  return isolate(fleet, secondsBetween(random, ...CUT), machine, machine.name);
};

export const isolateRedis: Nemesis = async (fleet, random) => {
  const { node, name } = await pickRedis(fleet, random);
  return isolate(fleet, secondsAway(fleet, random), node.machine, name);
};

/** The primary sees the services, but no other server and no sentinel. */
export const isolatePrimaryFromServers: Nemesis = async (fleet, random) => {
  const { machine } = await fleet.redis.primary();
  const what = `${machine.name} (primary) is cut off from servers and sentinels`;
  return cutFor(fleet, secondsAway(fleet, random), what, () =>
    fleet.network.cut([machine], serversExcept(fleet, [machine])),
  );
};

/** The primary and one replica see the services, but no other server and no sentinel. */
export const cutMinority: Nemesis = async (fleet, random) => {
  const primary = await fleet.redis.primary();
  const replica = random.pick(fleet.redis.nodes.filter((node) => node !== primary));
  const minority = [primary, replica].flatMap((node) => (node ? [node.machine] : []));
  const what = `${minority.map(({ name }) => name).join(' (primary) and ')} are cut off from servers and sentinels`;
  return cutFor(fleet, secondsAway(fleet, random), what, () =>
    fleet.network.cut(minority, serversExcept(fleet, minority)),
  );
};

function serversExcept({ redis }: Fleet, machines: readonly Machine[]): Machine[] {
  const all = [...redis.nodes, ...redis.sentinels].map(({ machine }) => machine);
  return all.filter((machine) => !machines.includes(machine));
}
