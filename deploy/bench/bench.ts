// `npm run bench`: some questions, one run, and their answers in RESULTS.md. Arguments are Node flags for the measured processes,
// e.g. `-- --cpu-prof --cpu-prof-dir=/tmp/profiles`; with any, RESULTS.md stays as it is. `-- scale` asks one of them with a million tasks,
// which takes long and 8 GB of memory, and nothing else.
import { readFile, writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { onParentGone } from '../launcher/parent.ts';
import { measureDelivery } from './delivery.ts';
import { startFleet } from './fleet.ts';
import { measureGateway } from './gateway.ts';
import { findLoadGenerator } from './load.ts';
import { measureMemory } from './memory.ts';
import { measureOperations } from './operations.ts';
import { type Results, replacePart, report, scaleReport } from './report.ts';
import { measureScale, type ScaleResults } from './scale.ts';
import { openStage } from './stage.ts';
import { measureTasks } from './tasks.ts';
import { measureWaiting } from './waiting.ts';

const AGENTS = 1_000;
const MAX_LOAD_AVERAGE = 0.5;
const FEW_TASKS = 1_000;
const MANY_TASKS = 100_000;
const VERY_MANY_TASKS = 1_000_000;
const RESULTS = join(import.meta.dirname, 'RESULTS.md');

const isScale = process.argv[2] === 'scale';
const flags = process.argv.slice(isScale ? 3 : 2);
const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopped.abort());
onParentGone(() => stopped.abort());

try {
  await bench();
} catch (error) {
  process.exitCode = 1;
  console.error(stopped.signal.aborted ? 'Stopped' : error);
}
process.exit();

async function bench(): Promise<void> {
  const load = loadavg()[0] ?? 0;
  const isIdle = load <= MAX_LOAD_AVERAGE;
  if (!isIdle)
    console.log(`The load average is ${load.toFixed(2)}: something else is at work, do not trust the figures`);
  await fillCompileCache();
  const part = isScale ? { scale: scaleReport(await askScale(VERY_MANY_TASKS)) } : { main: await askAll(load) };
  console.log(`\n${part.main ?? part.scale}`);
  if (isIdle && flags.length === 0) await writeFile(RESULTS, replacePart(await readFile(RESULTS, 'utf8'), part));
  else console.log('RESULTS.md stays as it is');
}

async function askAll(load: number): Promise<string> {
  const answers = await askFleet();
  return report({ load, ...answers, scale: await askScale(MANY_TASKS) });
}

async function askFleet(): Promise<Omit<Results, 'load' | 'scale'>> {
  const stage = await openStage(stopped.signal, flags);
  try {
    const generator = await findLoadGenerator(stage);
    const fleet = await startFleet(stage, AGENTS);
    console.log('GET /agents/{id}, through the gateway and beside it');
    const ways = await measureGateway(stage, fleet, generator);
    console.log('Operations through the gateway');
    const operations = await measureOperations(fleet, generator);
    console.log('From a created task to the lease of a worker that waits');
    const delivery = await measureDelivery(fleet);
    console.log('Workers that wait');
    const waiting = await measureWaiting(stage, fleet);
    console.log('Tasks, beside bare BullMQ');
    const tasks = await measureTasks(stage, fleet, generator);
    console.log('Memory after 200 000 requests to each service');
    const memory = await measureMemory(stage, fleet, generator);
    return { generator: generator.name, ways, operations, delivery, waiting, tasks, memory };
  } finally {
    await stage.close();
  }
}

function askScale(tasks: number): Promise<ScaleResults> {
  console.log(`The cost of a request with ${FEW_TASKS} and with ${tasks} tasks`);
  return measureScale(stopped.signal, flags, { small: FEW_TASKS, large: tasks });
}

/** A start that had to strip types itself holds 25 MB more: what is measured is the second, as after the first `npm start`. */
async function fillCompileCache(): Promise<void> {
  const stage = await openStage(stopped.signal);
  try {
    await startFleet(stage, 0);
  } finally {
    await stage.close();
  }
}
