// `npm run demo`: a fleet with agents that work, for a look around without a key or a network. Its model is a script,
// its data are in a folder of its own, and nothing is left at its end.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadCredentials } from '../launcher/credentials.ts';
import { onParentGone } from '../launcher/parent.ts';
import { untilReady } from '../launcher/readiness.ts';
import { readSettings, requireFreePort } from '../launcher/settings.ts';
import { type Child, startChild } from '../local/child-process.ts';
import { LaunchError } from '../local/launch-error.ts';
import { freePort, portProblem } from '../local/ports.ts';
import { ROOT } from '../services.ts';
import { startModelServer } from '../testing/model-server/model-server.ts';
import { commitFiles } from '../testing/skill-repository.ts';
import { DemoApi } from './demo-api.ts';
import { COMMITS, OTHER, ROUTINE, STORIES } from './stories.ts';

const DATA_DIR = mkdtempSync(join(tmpdir(), 'fleet-demo-'));
const REPOSITORY = join(DATA_DIR, 'tea-shop');
const READY_MS = 120_000;
const ROUTINE_MS = 60_000;

const children: Child[] = [];
const stopping = new AbortController();
const STOPPED = 'stopped';
const stop = () => stopping.abort(STOPPED);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
onParentGone(stop);

try {
  await run();
} catch (error) {
  const { aborted, reason } = stopping.signal;
  const problem = aborted ? reason : error;
  if (problem !== STOPPED) {
    console.error(problem instanceof LaunchError ? problem.message : problem);
    process.exitCode = 1;
  }
} finally {
  // The workers first: they give their tasks back.
  for (const child of children.toReversed()) await child.stop();
  rmSync(DATA_DIR, { recursive: true, force: true });
}
process.exit();

async function run(): Promise<void> {
  const env = { ...process.env, ...(await placeOf(process.env)), DATA_DIR, AGENT_TYPES: 'demo,demo-night' };
  const settings = readSettings(env);
  // The fleet that listens there already would answer.
  await requireFreePort(settings);
  console.log('Starting a demonstration: its agents, tasks, model and costs are made up …');
  const fleet = startChild(process.execPath, [join(ROOT, 'scripts/launcher/start.ts')], { env });
  children.push(fleet);
  const failed = fleet.closed.then(() => {
    throw new LaunchError(fleet.printed().trim());
  });
  failed.catch((error) => stopping.abort(error));
  await Promise.race([untilReady(settings.url, READY_MS, stopping.signal), failed]);
  const { values } = loadCredentials(join(DATA_DIR, 'credentials.env'), env);
  const api = new DemoApi(settings.url, values.API_KEYS.replace(/^[^,]*:/, ''), stopping.signal);
  const hasGit = createRepository();
  await startWorkers(api);
  const agents = await api.createAgents();
  const stories = STORIES.filter(({ hasRepository }) => hasGit || !hasRepository);
  const tasks = await Promise.all(stories.map((story) => api.add(story, agents, `file://${REPOSITORY}`)));
  console.log(
    [
      '',
      `  Console    ${settings.url}/console`,
      `  User       ${values.ADMIN_EMAIL}`,
      `  Password   ${values.ADMIN_PASSWORD}`,
      `  Terminal   FLEET_URL=${api.url} FLEET_API_KEY=${api.key} npx fleet tasks list`,
      '',
      'Agents work on tasks now. Ctrl-C ends the demonstration and removes its data.',
    ].join('\n'),
  );
  await Promise.all(stories.map((story, at) => story.isCancelled && api.cancelOnceRunning(String(tasks[at]))));
  while (!stopping.signal.aborted) {
    await api.add(ROUTINE, agents);
    await sleep(ROUTINE_MS, undefined, { signal: stopping.signal });
  }
}

/** On this machine only; the usual port may be that of another fleet. */
async function placeOf({ HOST = '127.0.0.1', PORT }: NodeJS.ProcessEnv) {
  if (PORT) return { HOST, PORT };
  const { port } = readSettings({});
  return { HOST, PORT: String((await portProblem(port, HOST)) === undefined ? port : await freePort()) };
}

/** Whether there is a Git to make one, and for the workers. */
function createRepository(): boolean {
  const hasGit = spawnSync('git', ['--version']).status === 0;
  if (hasGit) for (const files of COMMITS) commitFiles(REPOSITORY, files);
  else console.log('There is no Git on this machine: the demonstration has no tasks with a repository.');
  return hasGit;
}

async function startWorkers({ url, key }: DemoApi): Promise<void> {
  const model = await startModelServer({
    reply: ({ prompt, toolResults }) => {
      const story = [...STORIES, ROUTINE].find(({ message }) => prompt.includes(message));
      return story?.replies[Math.min(toolResults.length, story.replies.length - 1)] ?? OTHER;
    },
  });
  const env = { ...process.env, FLEET_URL: url, FLEET_API_KEY: key, MODEL_URL: model.url };
  for (const name of ['worker-1', 'worker-2']) {
    const options = ['--type', 'demo', '--concurrency', '2', '--worker-id', `demo-${name}`, '--stop-seconds', '1'];
    options.push('--repository', `file://${DATA_DIR}/`, '--workspaces', join(DATA_DIR, name));
    options.push('--pass-env', 'MODEL_URL', '--model', 'demo-model', '--acp', process.execPath);
    const args = [join(ROOT, 'clients/cli/bin/fleet.mjs'), 'worker', ...options, '--'];
    const output = { logFile: join(DATA_DIR, 'logs', `${name}.log`) };
    children.push(
      startChild(process.execPath, [...args, join(ROOT, 'clients/worker/examples/agent.ts')], { env, output }),
    );
  }
}
