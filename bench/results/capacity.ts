import type { Cost, Costs } from '../capacity/costs.ts';
import { busiestShare, type HotCost, SKEWS, type Skew } from '../capacity/hot-agents.ts';
import { needsOf, ONE } from '../capacity/needs.ts';
import { spaced, table } from './markdown.ts';

const FACTORS = [1, 10, 100, 1_000];
const NODES = [3, 10, 30];
const SPREAD_AGENTS = 10_000;
const OPERATIONS = {
  read: 'read a task',
  page: 'a page of 20 tasks',
  create: 'create a task',
  lease: 'lease it',
  heartbeat: 'a heartbeat',
  result: 'report its result',
  delivery: 'deliver an event to an open stream',
};
const SKEW_TEXTS = { even: 'evenly', zipf: "by Zipf's law", one: 'all to one agent' };

export function capacitySection(costs: Costs, hot: Map<Skew, HotCost>): string {
  const { agent, pendingTask, endedTask } = costs.memory;
  return `## What operations, records and hot agents cost

One operation through the gateway, without \`/token\`: processor time of each process, and bytes that Redis writes into its append-only file.

${table(
  ['', 'gateway µs', 'agents µs', 'Redis µs', 'bytes in the file'],
  Object.entries(OPERATIONS).map(([name, text]) => [
    text,
    ...costCells(costs.operations[name as keyof typeof OPERATIONS]),
  ]),
)}

Memory of Redis: ${agent.toFixed(0)} bytes for an agent, ${pendingTask.toFixed(0)} for a pending task, ${endedTask.toFixed(0)} for an ended one, with events and index entries.

What a fleet with these costs needs, in busy cores. 1×: ${describeOne()}

${table(
  ['', ...FACTORS.map((factor) => `${spaced(factor)}×`)],
  [
    needRow('gateway, cores', ({ gateway }) => gateway),
    needRow('agents, cores', ({ agents }) => agents),
    needRow('Redis, cores', ({ redis }) => redis),
    needRow('memory of Redis, GB', ({ memoryBytes }) => memoryBytes / 1e9),
    needRow('append-only file, MB/s', ({ fileBytes }) => fileBytes / 1e6),
  ],
)}

A task that is created, leased and completed at three agents processes, with 1 000 agents and 24 requests in flight:

${table(
  ['tasks spread', 'tasks/s', 'agents µs', 'Redis µs'],
  [...hot].map(([skew, { tasksPerSecond, agentsUs, redisUs }]) => [
    SKEW_TEXTS[skew],
    ...[tasksPerSecond, agentsUs, redisUs].map((value) => value.toFixed(0)),
  ]),
)}

The share of the busiest node if ${spaced(SPREAD_AGENTS)} agents were spread over the nodes of a cluster by their ids (simulated):

${table(
  ['tasks spread', ...NODES.map((nodes) => `${nodes} nodes`)],
  SKEWS.map((skew) => [
    SKEW_TEXTS[skew],
    ...NODES.map((nodes) => `${(busiestShare(SPREAD_AGENTS, skew, nodes) * 100).toFixed(0)} %`),
  ]),
)}`;

  function needRow(name: string, of: (needs: ReturnType<typeof needsOf>) => number): string[] {
    return [name, ...FACTORS.map((factor) => toPrecision(of(needsOf(costs, ONE, factor))))];
  }
}

function costCells({ gateway, agents, redis, fileBytes }: Cost): string[] {
  return [gateway, agents, redis, fileBytes].map((value) => value.toFixed(value < 10 ? 1 : 0));
}

function describeOne(): string {
  const { perSecond, streams, agents, pendingTasks, endedTasks } = ONE;
  const { create, heartbeat, read, page } = perSecond;
  return `each second ${create} tasks are created, leased and completed, with ${heartbeat} heartbeats, ${read} reads and ${page} pages;
${streams} streams of all events; ${agents} agents, ${spaced(pendingTasks)} pending and ${spaced(endedTasks)} ended tasks.`;
}

/** Two digits, without an exponent. */
function toPrecision(value: number): string {
  return value >= 10 ? spaced(Math.round(value)) : Number(value.toPrecision(2)).toString();
}
