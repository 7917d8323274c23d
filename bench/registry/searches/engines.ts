import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { NODE_ENVIRONMENT } from '@agent-fleet/scripts/services';
import type { Figures } from '../../load/load.ts';
import { alternate, type Contestant } from '../../load/rounds.ts';
import { KINDS, type SearchedRegistry, type SearchKind } from './queries.ts';

const PROGRAM = join(import.meta.dirname, 'engine-process.ts');
const NODE_FLAGS = ['--expose-gc', '--max-old-space-size=4096'];
const BUILD_TIMEOUT_MS = 300_000;
const ROUND_TIMEOUT_MS = 60_000;
const ROUND_SECONDS = 0.4;
const ROUNDS = 5;

export const ENGINES = { own: 'the service', sqlite: 'SQLite FTS5', minisearch: 'MiniSearch' } as const;
export type EngineName = keyof typeof ENGINES;
const ENGINE_NAMES = Object.keys(ENGINES) as EngineName[];

/** Input of the process. */
export interface EngineSettings {
  engine: EngineName;
  registry: SearchedRegistry;
}

/** First message of the process. */
export interface Built {
  /** Processor time of all threads, without preparing the records. */
  processorSeconds: number;
  residentBytes: number;
  cannot: readonly SearchKind[];
}

/** Message to the process. */
export interface Round {
  kind: SearchKind;
  withFacets: boolean;
  seconds: number;
}

/** Answer of the process to a round. */
export interface RoundFigures extends Figures {
  maxMs: number;
  /** Searches per second of processor time of all threads. */
  perCoreSecond: number;
  medianMatches: number;
}

/** Undefined for what an engine cannot do. `facets`: our engine with all facets. */
export type KindFigures = Partial<Record<EngineName | 'facets', RoundFigures>>;

export interface EngineResults {
  built: (Built & { engine: EngineName })[];
  kinds: Map<SearchKind, KindFigures>;
}

interface RunningEngine extends Built {
  engine: EngineName;
  measure(round: Round): Promise<RoundFigures>;
}

type EngineContestant = Contestant<`${SearchKind} ${keyof KindFigures}`, RoundFigures>;

/** How fast are searches without HTTP, beside other search engines? Each engine has a process of its own. */
export async function measureEngines(registry: SearchedRegistry, signal: AbortSignal): Promise<EngineResults> {
  const children: ChildProcess[] = [];
  try {
    const running: RunningEngine[] = [];
    for (const engine of ENGINE_NAMES) {
      const child = startProcess({ engine, registry });
      children.push(child);
      running.push(await untilBuilt(engine, child, signal));
    }
    const contestants = KINDS.flatMap((kind) => running.flatMap((engine) => toContestants(kind, engine)));
    return { built: running, kinds: toKinds(await alternate(contestants, ROUNDS)) };
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
}

function startProcess(settings: EngineSettings): ChildProcess {
  return fork(PROGRAM, [JSON.stringify(settings)], {
    execArgv: NODE_FLAGS,
    env: { ...process.env, ...NODE_ENVIRONMENT },
  });
}

async function untilBuilt(engine: EngineName, child: ChildProcess, signal: AbortSignal): Promise<RunningEngine> {
  const ended = new AbortController();
  child.once('exit', (code) => ended.abort(new Error(`The process of ${engine} ended with ${code}`)));
  const receive = async <Message>(timeoutMs: number) => {
    const signals = [signal, ended.signal, AbortSignal.timeout(timeoutMs)];
    const [message] = await once(child, 'message', { signal: AbortSignal.any(signals) });
    return message as Message;
  };
  const built = await receive<Built>(BUILD_TIMEOUT_MS);
  const megabytes = (built.residentBytes / 1e6).toFixed(0);
  console.log(`  ${engine}: built in ${built.processorSeconds.toFixed(1)} s of a core, ${megabytes} MB`);
  return {
    ...built,
    engine,
    measure(round) {
      child.send(round);
      return receive(ROUND_TIMEOUT_MS);
    },
  };
}

function toContestants(kind: SearchKind, { engine, cannot, measure }: RunningEngine): EngineContestant[] {
  if (cannot.includes(kind)) return [];
  const run = (withFacets: boolean) => () => measure({ kind, withFacets, seconds: ROUND_SECONDS });
  const plain: EngineContestant = { name: `${kind} ${engine}`, run: run(false) };
  return engine === 'own' ? [plain, { name: `${kind} facets`, run: run(true) }] : [plain];
}

function toKinds(figures: Map<string, RoundFigures>): EngineResults['kinds'] {
  return new Map(
    KINDS.map((kind) => {
      const each = [...figures].filter(([name]) => name.startsWith(`${kind} `));
      return [kind, Object.fromEntries(each.map(([name, value]) => [name.slice(kind.length + 1), value]))];
    }),
  );
}
