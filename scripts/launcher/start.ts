import { join } from 'node:path';
import { LaunchError } from '../local/launch-error.ts';
import { banner } from './banner.ts';
import { loadCredentials } from './credentials.ts';
import { Launcher } from './launcher.ts';
import { onParentGone } from './parent.ts';
import { readSecretFiles } from './secret-files.ts';
import { readSettings, requireFreePort } from './settings.ts';

/** npm and the terminal both forward one Ctrl-C: signals within this time are the same one. */
const SAME_PRESS_MS = 500;

const say = (line: string) => console.log(line);
let launcher: Launcher | undefined;
let stoppedAt: number | undefined;

process.on('SIGINT', () =>
  stoppedAt !== undefined && Date.now() - stoppedAt > SAME_PRESS_MS ? void kill() : void stop(0),
);
process.on('SIGTERM', () => void stop(0));
process.on('SIGHUP', () => void stop(0));
onParentGone(() => void stop(0));
// The reader of the output may end first.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

try {
  await start();
} catch (error) {
  await fail(error);
}

async function start(): Promise<void> {
  const began = performance.now();
  readSecretFiles(process.env);
  const settings = readSettings(process.env);
  await requireFreePort(settings);
  const credentials = loadCredentials(join(settings.dataDir, 'credentials.env'), process.env);
  launcher = new Launcher({ settings, credentials, say, onFailure: (error) => void fail(error) });
  const { hasPages } = await launcher.start();
  credentials.keepGiven();
  credentials.keepUrl(settings.url);
  say(`Agent Fleet is ready (${((performance.now() - began) / 1000).toFixed(1)} s)`);
  say(banner({ settings, credentials, hasPages, agentTypes: process.env.AGENT_TYPES }));
}

async function stop(exitCode: number): Promise<void> {
  if (stoppedAt !== undefined) return;
  stoppedAt = Date.now();
  if (exitCode === 0) say('Stopping …');
  await launcher?.stop();
  process.exit(exitCode);
}

async function kill(): Promise<void> {
  await launcher?.kill();
  process.exit(130);
}

async function fail(error: unknown): Promise<void> {
  // Stopping makes a start that is under way fail.
  if (stoppedAt !== undefined) return;
  console.error(isClear(error) ? error.message : error);
  await stop(1);
}

/** Whether the message alone explains the error to the user, such as a system error with a path. */
function isClear(error: unknown): error is Error {
  return error instanceof LaunchError || (error instanceof Error && 'path' in error);
}
