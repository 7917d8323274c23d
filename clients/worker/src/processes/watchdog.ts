import { type ChildProcess, spawn } from 'node:child_process';
import { HAS_PROC, newWorkerMark } from './marked-processes.ts';

const RESTART_MS = 1_000;

/**
 * Waits until its stdin closes, which is when the worker has ended in whatever way; then ends all processes with `$1`
 * in their environment: SIGTERM, 4 s later SIGKILL, repeated for 5 s. It looks twice, as a process that is being
 * started has its environment a moment later. It starts no program for each process that it looks at: `read` leaves out
 * the zero bytes between variables.
 */
const SCRIPT = `
trap '' HUP INT TERM QUIT
while read -r line; do :; done
is_marked() {
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in *"$mark"*) return 0 ;; esac
    line=
  done < "$1"
  return 1
}
signal_all() {
  found=
  for folder in /proc/[0-9]*; do
    if [ -r "$folder/environ" ] && is_marked "$folder/environ"; then
      kill "-$1" "\${folder#/proc/}"
      found=1
    fi
  done
  [ -n "$found" ]
}
mark=$1
found_any=
for step in 1 2; do
  signal_all TERM && found_any=1
  sleep 0.5
done
[ -n "$found_any" ] || exit 0
sleep 3
for step in 1 2 3 4 5 6 7 8 9 10; do
  signal_all KILL || exit 0
  sleep 0.5
done
`;

/** Ends the programs of a worker that was killed. */
export interface Watchdog {
  /** The marks of its attempts begin with it. */
  mark: string;
  /** Ends what is left, and the watchdog. */
  close(): void;
}

/**
 * Starts a small shell in a session of its own, one for each worker. One that is killed is started again. Where there
 * is no `/proc`, nothing is started.
 */
export function startWatchdog(): Watchdog {
  const mark = newWorkerMark();
  let child: ChildProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  const restart = () => {
    if (!closed) timer = setTimeout(start, RESTART_MS).unref();
  };
  const start = () => {
    child = spawnShell(mark);
    child.once('error', restart);
    child.once('exit', restart);
  };
  if (HAS_PROC) start();
  return {
    mark,
    close: () => {
      closed = true;
      clearTimeout(timer);
      child?.stdin?.end();
    },
  };
}

/** Neither the process nor its pipe keeps the worker alive. */
function spawnShell(mark: string): ChildProcess {
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'fleet-worker-watchdog', mark], {
    detached: true,
    cwd: '/',
    env: { PATH: process.env.PATH },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.unref();
  child.stdin.on('error', () => {});
  (child.stdin as unknown as { unref?(): void }).unref?.();
  return child;
}
