import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Stage } from '../stage/stage.ts';
import { type LoadRequest, toText } from './load.ts';

const run = promisify(execFile);
const PROGRAM = join(import.meta.dirname, 'constant-rate-process.ts');
/** How long a generator may run beyond the seconds of load. */
const GRACE_MS = 30_000;

export interface ConstantLoad {
  port: number;
  request: LoadRequest;
  perSecond: number;
  connections: number;
  seconds: number;
  /** Seconds before the measurement; default 1. */
  warmUpSeconds?: number;
  /**
   * What happens to a request that is due while no connection is free: it waits for one, and the wait counts, or it is
   * dropped.
   */
  whenBusy: 'wait' | 'drop';
}

/** Times are of responses with status 200. All figures except `processorSeconds` exclude the warm-up. */
export interface ConstantFigures {
  seconds: number;
  due: number;
  sent: number;
  /** Responses with status 200. */
  ok: number;
  /** Responses with status 503. */
  refused: number;
  /** Other responses, and connections that broke with a request in flight. */
  failed: number;
  p50Ms: number;
  p99Ms: number;
  /** Of the generator itself. */
  processorSeconds: number;
}

/** Loads a server at a constant rate from a process of its own. */
export async function loadConstantly(
  { dir, signal }: Pick<Stage, 'dir' | 'signal'>,
  load: ConstantLoad,
): Promise<ConstantFigures> {
  const file = join(dir, 'constant-rate');
  await writeFile(file, JSON.stringify({ ...load, text: toText(load.request) }));
  const options = { signal, timeout: load.seconds * 1_000 + GRACE_MS };
  const { stdout } = await run(process.execPath, [PROGRAM, file], options);
  return JSON.parse(stdout) as ConstantFigures;
}
