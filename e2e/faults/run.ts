import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../histories/random.ts';
import { checkAccessLog } from './checks/access-log.ts';
import { checkAgents } from './checks/agents.ts';
import { checkCounts } from './checks/counts.ts';
import { drain } from './checks/drain.ts';
import { checkEvents } from './checks/events.ts';
import { awaitRecovery } from './checks/recovery.ts';
import { listEvents, listTasks } from './checks/stored.ts';
import { checkTasks } from './checks/tasks.ts';
import { Client } from './clients/client.ts';
import { type Clients, startClients } from './clients/clients.ts';
import { Ledger } from './clients/ledger.ts';
import { judge, type Window } from './figures.ts';
import { Fleet, type PictureName } from './machines/fleet.ts';
import { type Kind, keepsNewsAway, kindsOf, movesClock, nemesisOf } from './nemeses/nemeses.ts';
import { type Planned, planFaults } from './nemeses/plan.ts';

const WARM_UP_MS = 2_000;
const QUIET_MS = 1_500;
const DRAIN_MS = 60_000;
const WHOLE_TIMEOUT_MS = 45_000;

export interface RunOptions {
  picture: PictureName;
  seconds: number;
  seed: number;
  /** For the logs of the processes and the files of the clients. */
  dir: string;
  /** Default: those of the picture, in rounds. */
  kinds?: readonly Kind[] | undefined;
  /** Whether to have every kind once, even if that takes longer. */
  hasWholeRound?: boolean;
  planted?: { nodeArgs: readonly string[]; env: NodeJS.ProcessEnv };
  /** How long open tasks may take to end after the last fault. Default: a minute. */
  drainMs?: number;
  say(line: string): void;
}

export interface Result {
  violations: readonly string[];
  figures: string;
}

/** Breaks a fleet of one picture under work, and checks afterwards what it has acknowledged. */
export async function runPicture(options: RunOptions): Promise<Result> {
  const { picture, dir, say, planted } = options;
  mkdirSync(dir, { recursive: true });
  const ledger = new Ledger(dir);
  let fleet: Fleet | undefined;
  let figures = 'none';
  try {
    fleet = await Fleet.start(picture, { logDir: dir, violate: (problem) => ledger.violate(problem) }, planted);
    figures = await breakAndCheck(fleet, ledger, options);
  } catch (error) {
    ledger.violate(`the run ended: ${error instanceof Error ? error.stack : error}`);
  }
  say(`Logs: ${dir}`);
  await fleet?.close();
  await ledger.close();
  return { violations: ledger.violations, figures };
}

/** Returns a line of figures. */
async function breakAndCheck(fleet: Fleet, ledger: Ledger, options: RunOptions): Promise<string> {
  const { picture, seed, dir, say, drainMs = DRAIN_MS } = options;
  const client = new Client('checker', fleet.baseUrl, ledger);
  let clients: Clients | undefined;
  try {
    clients = await startClients(fleet, ledger, seed);
    await sleep(WARM_UP_MS);
    say(`Began after ${secondsOf(ledger.now())} s`);
    const windows = await breakRepeatedly(fleet, ledger, options);
    const overMs = ledger.now();
    await clients.stopAsking();
    const waiting = await drain(client, drainMs);
    await clients.stopWorking();
    const events = await listEvents(client);
    const stored = (await Promise.all(ledger.working.map(({ id }) => listTasks(client, id)))).flat();
    checkTasks(ledger, stored, waiting);
    await checkCounts(client, stored);
    checkEvents(ledger, events, stored);
    await clients.follower.check(events);
    await Promise.all(clients.credentials.map((user) => user.checkAll()));
    await checkAgents(client, ledger);
    const edge = [...fleet.services.gateway, fleet.loadBalancer].map(({ name }) => join(dir, `${name}.log`));
    for (const file of edge) checkAccessLog(ledger, file);
    say(`Checked within ${secondsOf(ledger.now() - overMs)} s`);
    return judge(ledger, windows, waiting.size, picture === 'strict');
  } finally {
    clients?.stop();
    client.close();
  }
}

/** One fault after the other until the time is over; each must be recovered from before the next. */
async function breakRepeatedly(fleet: Fleet, ledger: Ledger, options: RunOptions): Promise<Window[]> {
  const endMs = ledger.now() + options.seconds * 1_000;
  const windows: Window[] = [];
  const least = options.hasWholeRound ? (options.kinds ?? kindsOf(options.picture)).length : 0;
  for (const planned of planFaults(options.picture, options.seed, options.kinds)) {
    if (ledger.now() >= endMs && windows.length >= least) break;
    await Promise.all([fleet.redis.untilWhole(WHOLE_TIMEOUT_MS), fleet.untilAllReady()]);
    for (const { program } of fleet.redis.nodes) program.mayEnd = false;
    windows.push(await breakOnce(fleet, ledger, planned, options));
    await sleep(QUIET_MS);
  }
  await fleet.untilAllReady();
  return windows;
}

async function breakOnce(fleet: Fleet, ledger: Ledger, planned: Planned, { say }: RunOptions): Promise<Window> {
  const faults = await Promise.all(planned.map(({ kind, seed }) => nemesisOf(kind)(fleet, new Random(seed))));
  const kinds = planned.map(({ kind }) => kind);
  const what = faults.map((fault) => fault.what).join('; ');
  const fromMs = ledger.now();
  ledger.write('faults', { begin: what });
  const before = ledger.violations.length;
  const calms = [
    ...(kinds.some(movesClock) ? [ledger.clocks] : []),
    ...(kinds.some(keepsNewsAway) ? [ledger.news] : []),
  ];
  for (const calm of calms) calm.begin();
  await Promise.all(
    faults.map(async (fault) => {
      await fault.begin();
      await sleep(fault.seconds * 1_000);
      await fault.end();
    }),
  );
  ledger.write('faults', { end: what });
  const recoveryMs = await awaitRecovery(fleet, ledger, what);
  for (const calm of calms) calm.end();
  const toMs = ledger.now();
  const found = ledger.violations.slice(before);
  say(`${secondsOf(fromMs).padStart(6)} s  ${what}; recovered in ${recoveryMs} ms`);
  for (const violation of found) say(`          ✗ ${violation}`);
  return { kinds, fromMs, toMs, recoveryMs };
}

function secondsOf(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
