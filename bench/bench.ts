// `npm run bench` runs the main questions and writes the results into RESULTS.md. `-- overload`, or any other names,
// runs only these questions and prints their results. `-- soak` (ten minutes of load), `-- scale` (the scale question
// with a million tasks: slow, needs 8 GB of memory), `-- replicas`, `-- capacity` and `-- images` (needs Docker) run
// only by name, and have their own parts in RESULTS.md.
// `--skills=5000` gives the registry's questions fewer skills than the largest known registry has, to try them out.
// Other arguments are Node flags for the measured processes, e.g. `-- --cpu-prof --cpu-prof-dir=/tmp/profiles`. With
// either, RESULTS.md is not written.
import { readFile, writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { onParentGone } from '@agent-fleet/scripts/launcher/parent';
import { startFleet } from './fleet/fleet.ts';
import { measureScale } from './fleet/scale.ts';
import { type Front, openFront } from './gateway/front.ts';
import { findLoadGenerator } from './load/load.ts';
import {
  FLEET_QUESTIONS,
  GATEWAY_QUESTIONS,
  IMAGE_QUESTIONS,
  type Question,
  REGISTRY_QUESTIONS,
  SOAK,
} from './questions.ts';
import { SKILLS } from './registry/registry.ts';
import { isOwnPart, mainPart, type PartName, replacePart, singlePart } from './results/results-file.ts';
import { scaleSection } from './results/scale.ts';
import { openStage, type Stage } from './stage/stage.ts';

const AGENTS = 1_000;
const MAX_LOAD_AVERAGE = 0.5;
const FEW_TASKS = 1_000;
const MANY_TASKS = 100_000;
const VERY_MANY_TASKS = 1_000_000;
const SKILLS_OPTION = '--skills=';
/** Fewer have fewer different names than the searches need. */
const MIN_SKILLS = 4_000;
const RESULTS = join(import.meta.dirname, 'RESULTS.md');

const QUESTIONS = [GATEWAY_QUESTIONS, FLEET_QUESTIONS, REGISTRY_QUESTIONS, IMAGE_QUESTIONS];
const KNOWN = QUESTIONS.flatMap((each) => Object.keys(each));
const ALONE: readonly string[] = ['soak', 'scale'];

const names = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const options = process.argv.slice(2).filter((argument) => argument.startsWith('-'));
const flags = options.filter((option) => !option.startsWith(SKILLS_OPTION));
const skillsOption = options.find((option) => option.startsWith(SKILLS_OPTION));
const skills = skillsOption ? Number(skillsOption.slice(SKILLS_OPTION.length)) : SKILLS;
if (!(skills >= MIN_SKILLS)) {
  console.error(`${SKILLS_OPTION} needs a number from ${MIN_SKILLS} on`);
  process.exit(1);
}
const isAlone = names.length === 1 && ALONE.includes(names[0] ?? '');
if (!isAlone && names.some((name) => !KNOWN.includes(name))) {
  console.error(`Questions are some of ${KNOWN.join(', ')}, or one of ${ALONE.join(', ')}`);
  process.exit(1);
}

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
  const [name, text] = await askPart(load);
  console.log(`\n${text}`);
  if (name && isIdle && options.length === 0)
    await writeFile(RESULTS, replacePart(await readFile(RESULTS, 'utf8'), name, text));
  else console.log('RESULTS.md stays as it is');
}

/** Returns the text, and the name of its part of RESULTS.md if it has one. */
async function askPart(load: number): Promise<[PartName | undefined, string]> {
  if (names.length === 0) {
    const sections = [...(await askMain()), await askScale(MANY_TASKS)];
    const about: [string, string][] = [
      ['Load generator', 'wrk'],
      ['Load average at the start', load.toFixed(2)],
    ];
    return ['main', mainPart(sections, about)];
  }
  const only = names.length === 1 ? names[0] : undefined;
  if (only === 'scale') return [only, singlePart(only, await askScale(VERY_MANY_TASKS))];
  if (only === 'soak') return [only, singlePart(only, await askOnFront(SOAK))];
  const text = (await askMain()).join('\n\n');
  return isOwnPart(only) ? [only, singlePart(only, text)] : [undefined, text];
}

async function askMain(): Promise<string[]> {
  const images = selected(IMAGE_QUESTIONS).map(({ ask }) => ask());
  return [...(await askGateway()), ...(await askFleet()), ...(await askRegistry()), ...(await Promise.all(images))];
}

async function askGateway(): Promise<string[]> {
  const sections: string[] = [];
  for (const question of selected(GATEWAY_QUESTIONS)) sections.push(await askOnFront(question));
  return sections;
}

function askOnFront({ what, ask }: Question<Front>): Promise<string> {
  console.log(what);
  return onStage(async (stage) => ask(await openFront(stage, await findLoadGenerator(stage))));
}

async function askFleet(): Promise<string[]> {
  const questions = selected(FLEET_QUESTIONS);
  if (questions.length === 0) return [];
  return await onStage(async (stage) => {
    const generator = await findLoadGenerator(stage);
    const fleet = await startFleet(stage, AGENTS);
    const sections: string[] = [];
    for (const { what, ask } of questions) {
      console.log(what);
      sections.push(await ask({ stage, fleet, generator }));
    }
    return sections;
  });
}

async function askRegistry(): Promise<string[]> {
  const sections: string[] = [];
  for (const { what, ask } of selected(REGISTRY_QUESTIONS)) {
    console.log(what);
    sections.push(await onStage(async (stage) => ask({ stage, generator: await findLoadGenerator(stage), skills })));
  }
  return sections;
}

/** The questions that were named, or all of the main part. */
function selected<On>(questions: Record<string, Question<On>>): Question<On>[] {
  const isSelected = (name: string) => (names.length === 0 ? !isOwnPart(name) : names.includes(name));
  return Object.entries(questions).flatMap(([name, question]) => (isSelected(name) ? [question] : []));
}

async function askScale(tasks: number): Promise<string> {
  console.log(`The cost of a request with ${FEW_TASKS} and with ${tasks} tasks`);
  return scaleSection(await measureScale(stopped.signal, flags, { small: FEW_TASKS, large: tasks }));
}

/**
 * Starts a fleet once to fill Node's compile cache. A process that strips types itself holds 25 MB more, so that the
 * measured start is the second one, as with `npm start`.
 */
async function fillCompileCache(): Promise<void> {
  await onStage(async (stage) => void (await startFleet(stage, 0)), []);
}

async function onStage<Result>(action: (stage: Stage) => Promise<Result>, nodeFlags = flags): Promise<Result> {
  const stage = await openStage(stopped.signal, nodeFlags);
  try {
    return await action(stage);
  } finally {
    await stage.close();
  }
}
