import { type Child, type ChildOptions, startChild } from '@agent-fleet/scripts/local/child-process';
import { run } from '../sandbox.ts';

const SUBNET = '10.77.0';
const BRIDGE = 'faults';
/** The address of this process, which no cut concerns. */
const OWN_NUMBER = 250;

/** The end of a machine's cable at the switch. */
const portOf = (at: number) => `port${at + 1}`;

/** What is a host or a container in production: a network namespace with an address. */
export interface Machine {
  name: string;
  address: string;
  /** A command that becomes a program on this machine. */
  through: readonly string[];
  start(command: string, args: readonly string[], options: ChildOptions): Child;
}

/** Machines on one switch, between any two of which the network can be cut. */
export class Network {
  readonly machines: Machine[] = [];
  readonly #cut = new Set<Machine>();

  constructor() {
    run('ip', 'link', 'add', BRIDGE, 'type', 'bridge');
    run('ip', 'addr', 'add', `${SUBNET}.${OWN_NUMBER}/24`, 'dev', BRIDGE);
    run('ip', 'link', 'set', BRIDGE, 'up');
  }

  add(name: string): Machine {
    const at = this.machines.length;
    const address = `${SUBNET}.${at + 1}`;
    run('ip', 'netns', 'add', name);
    run('ip', 'link', 'add', portOf(at), 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
    run('ip', 'link', 'set', portOf(at), 'master', BRIDGE, 'up');
    run('ip', '-n', name, 'addr', 'add', `${address}/24`, 'dev', 'eth0');
    run('ip', '-n', name, 'link', 'set', 'eth0', 'up');
    run('ip', '-n', name, 'link', 'set', 'lo', 'up');
    const through = ['nsenter', `--net=/run/netns/${name}`];
    const machine: Machine = {
      name,
      address,
      through,
      start(command, args, options) {
        const [file = '', ...rest] = [...through, command, ...args];
        // All processes end with the sandbox.
        return startChild(file, rest, { endsWithParent: false, ...options });
      },
    };
    this.machines.push(machine);
    return machine;
  }

  /** Drops what `to` receives from any of `from`. */
  cutOneWay(from: readonly Machine[], to: Machine): void {
    const sources = from.filter((machine) => machine !== to).map(({ address }) => address);
    if (sources.length === 0) return;
    this.#cut.add(to);
    this.#iptables(to, '-A', 'INPUT', '-s', sources.join(','), '-j', 'DROP');
  }

  /** Cuts two groups off from each other. */
  cut(one: readonly Machine[], other: readonly Machine[]): void {
    for (const machine of one) this.cutOneWay(other, machine);
    for (const machine of other) this.cutOneWay(one, machine);
  }

  /** All machines that are not in the group. */
  except(group: readonly Machine[]): Machine[] {
    return this.machines.filter((machine) => !group.includes(machine));
  }

  heal(): void {
    for (const machine of this.#cut) this.#iptables(machine, '-F', 'INPUT');
    this.#cut.clear();
  }

  close(): void {
    for (const [at, { name }] of this.machines.entries()) {
      // The kernel would end it with the namespace, some time later.
      run('ip', 'link', 'del', portOf(at));
      run('ip', 'netns', 'del', name);
    }
    run('ip', 'link', 'del', BRIDGE);
  }

  #iptables({ through }: Machine, ...args: string[]): void {
    const [file = '', ...rest] = [...through, 'iptables', '-w', ...args];
    run(file, ...rest);
  }
}
