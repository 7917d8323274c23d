// Sends the same request at a constant rate, as a process of its own; prints the figures as one line of JSON. Each is
// sent when it is due, whatever became of those before it, and its time counts from then: a server that stalls is not
// spared what would have come meanwhile.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from './connection.ts';
import type { ConstantFigures, ConstantLoad } from './constant-rate.ts';
import { startMetronome } from './metronome.ts';
import { createTimes } from './times.ts';

const OPENED_AT_ONCE = 100;
const REOPEN_AFTER_MS = 10;
/** Where there is more than can be sent, when it is due need not be met so well. */
const COARSE_BEAT_MS = 1;

const settings = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as ConstantLoad & { text: string };
const { port, text, perSecond, connections, seconds, warmUpSeconds = 1, whenBusy } = settings;
const times = createTimes();
const counts = { due: 0, sent: 0, ok: 0, refused: 0, failed: 0 };
const free: Connection[] = [];
/** When they were due, for want of a free connection. */
const late: number[] = [];
let lateAt = 0;
let isCounting = false;
let isOver = false;

const events = {
  onAnswer(connection: Connection, status: number) {
    count(status, connection.dueMs);
    const dueMs = late[lateAt];
    if (dueMs === undefined) {
      free.push(connection);
      return;
    }
    lateAt++;
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
  // One that cannot be opened is closed, too.
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
  else if (whenBusy === 'wait') late.push(dueMs);
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
