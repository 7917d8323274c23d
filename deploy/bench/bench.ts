// `npm run bench`: three questions, one run, and their answers in RESULTS.md. Arguments are Node flags for the measured processes,
// e.g. `-- --cpu-prof --cpu-prof-dir=/tmp/profiles`; with any, RESULTS.md stays as it is.
import { writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { onParentGone } from '../launcher/parent.ts';
import { startFleet } from './fleet.ts';
import { measureGateway } from './gateway.ts';
import { findLoadGenerator } from './load.ts';
import { measureMemory } from './memory.ts';
import { measureOperations } from './operations.ts';
import { report } from './report.ts';
import { openStage } from './stage.ts';

const AGENTS = 1_000;
const MAX_LOAD_AVERAGE = 0.5;

const flags = process.argv.slice(2);
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
  const stage = await openStage(stopped.signal, flags);
  try {
    const generator = await findLoadGenerator(stage);
    const fleet = await startFleet(stage, AGENTS);
    console.log('GET /agents/{id}, through the gateway and beside it');
    const ways = await measureGateway(stage, fleet, generator);
    console.log('Operations through the gateway');
    const operations = await measureOperations(fleet, generator);
    console.log('Memory after 200 000 requests to each service');
    const memory = await measureMemory(stage, fleet, generator);
    const text = report({ load, generator: generator.name, ways, operations, memory });
    console.log(`\n${text}`);
    if (isIdle && flags.length === 0) await writeFile(join(import.meta.dirname, 'RESULTS.md'), text);
    else console.log('RESULTS.md stays as it is');
  } finally {
    await stage.close();
  }
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
