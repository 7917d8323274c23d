// Sends a request at a constant rate, in a process of its own, and prints the figures as one line of JSON. Each request
// is sent when it is due, even if earlier ones have no response, and its time counts from then: this avoids coordinated
// omission when the server stalls.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from './connection.ts';
import type { ConstantFigures, ConstantLoad } from './constant-rate.ts';
import { startMetronome } from './metronome.ts';
import { createTimes } from './times.ts';

const OPENED_AT_ONCE = 100;
const REOPEN_AFTER_MS = 10;
/** In `drop` mode the rate exceeds the server's, so that the exact time of a request does not matter. */
const COARSE_BEAT_MS = 1;

const settings = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as ConstantLoad & { text: string };
const { port, text, perSecond, connections, seconds, warmUpSeconds = 1, whenBusy } = settings;
const times = createTimes();
const counts = { due: 0, sent: 0, ok: 0, refused: 0, failed: 0 };
const free: Connection[] = [];
/** Due times of requests that wait for a free connection. */
const overdue: number[] = [];
let overdueAt = 0;
let isCounting = false;
let isOver = false;

const events = {
  onResponse(connection: Connection, status: number) {
    count(status, connection.dueMs);
    const dueMs = overdue[overdueAt];
    if (dueMs === undefined) {
      free.push(connection);
      return;
    }
    overdueAt++;
    send(connection, dueMs);
  },
  onClose(connection: Connection) {
    if (isOver) return;
    if (connection.busy && isCounting) counts.failed++;
    const at = free.indexOf(connection);
    if (at >= 0) free.splice(at, 1);
    void sleep(REOPEN_AFTER_MS).then(open);
  },
};

for (let opened = 0; opened < connections; opened += OPENED_AT_ONCE) {
  await Promise.all(Array.from({ length: Math.min(OPENED_AT_ONCE, connections - opened) }, open));
}
await run();
console.log(JSON.stringify(toFigures()));
process.exit();

async function open(): Promise<void> {
  const connection = new Connection(port, events);
  // A connection that fails to open is also closed, and then replaced.
  await connection.opened().then(
    () => free.push(connection),
    () => {},
  );
}

async function run(): Promise<void> {
  const everyMs = 1_000 / perSecond;
  const beganMs = performance.now();
  const countMs = beganMs + warmUpSeconds * 1_000;
  const endMs = countMs + seconds * 1_000;
  let dueMs = beganMs;
  const beatMs = whenBusy === 'drop' ? Math.max(everyMs, COARSE_BEAT_MS) : everyMs;
  const metronome = startMetronome(beatMs, () => {
    const nowMs = performance.now();
    isCounting = nowMs >= countMs && nowMs < endMs;
    if (nowMs >= endMs) return;
    for (; dueMs <= nowMs; dueMs += everyMs) take(dueMs);
  });
  await sleep(endMs - beganMs);
  isCounting = false;
  await metronome.stop();
  isOver = true;
}

function take(dueMs: number): void {
  if (isCounting) counts.due++;
  const connection = free.pop();
  if (connection) send(connection, dueMs);
  else if (whenBusy === 'wait') overdue.push(dueMs);
}

function send(connection: Connection, dueMs: number): void {
  if (isCounting) counts.sent++;
  connection.send(text, dueMs);
}

function count(status: number, dueMs: number): void {
  if (!isCounting) return;
  if (status === 200) {
    counts.ok++;
    times.add(performance.now() - dueMs);
  } else if (status === 503) {
    counts.refused++;
  } else {
    counts.failed++;
  }
}

function toFigures(): ConstantFigures {
  const { user, system } = process.cpuUsage();
  const { p50Ms, p99Ms } = times.figures();
  return { ...counts, seconds, p50Ms, p99Ms, processorSeconds: (user + system) / 1e6 };
}
