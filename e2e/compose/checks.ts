import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import { ROOT } from '@agent-fleet/scripts/services';
import { runCommand } from '@agent-fleet/scripts/testing/command';
import type { Outcome } from '@agent-fleet/scripts/testing/outcome';
import { killOne, reloadLoadBalancer, replaceAll, replaceProcesses, scaleOut, scaleTo } from './changes.ts';
import { type Admin, administer, readWithToken, signInDuring } from './identity.ts';
import { holdLimitTogether, limitRates } from './limits.ts';
import { request, type Target } from './load.ts';
import { killRedis, removeContainers, stopAll } from './outages.ts';
import { killEachGateway } from './pages.ts';
import type { Scorecard } from './scorecard.ts';
import { measureShares } from './spread.ts';
import type { Stack } from './stack.ts';
import { type Scene, underLoad, underWork } from './under-load.ts';

const SCALE = { agents: 3, gateway: 3, identity: 2, registry: 2 };
const PUBLISHED_PORTS = '{{range .NetworkSettings.Ports}}{{range .}}{{.HostPort}} {{end}}{{end}}';
const CREDENTIALS = '/credentials/credentials.env';
/** Host names are resolved every few seconds, and a new replica of the gateway starts slowly. */
const SPREAD_TIMEOUT_MS = 90_000;
const JEST = join(ROOT, 'node_modules/jest/bin/jest.js');
const SUITE_TIMEOUT_MS = 600_000;

export interface Run {
  stack: Stack;
  scorecard: Scorecard;
  target: Target;
  folder: string;
  signal: AbortSignal;
}

/**
 * Checks an empty, then a scaled, then a failing and restarted stack, in the order of a real deployment. @throws if
 * interrupted
 */
export async function checkStack(run: Run): Promise<void> {
  const { stack, scorecard, target, signal } = run;
  const scene: Scene = { stack, target, scale: SCALE };
  const check = async (name: string, look: () => Promise<unknown>) => {
    signal.throwIfAborted();
    const passed = await scorecard.check(name, look);
    if (!passed) console.log(await stack.logs());
    return passed;
  };
  if (!(await check('the images build', () => stack.build()))) return;
  if (!(await check('the stack starts without any data', () => comeUp(run)))) return;
  await check('services do not run as root, and only the load balancer has a port', () => checkContainers(stack));
  await check('credentials of the environment override generated ones', () => checkCredentials(run));
  await runTests(run, 'contract|worker');
  await check('the stack scales under load', () => underLoad(scene, scaleOut, 'may fail'));
  await check('requests for agents spread', () => spread(scene, 'agents', '/agents?limit=1'));
  await check('requests for skills spread', () => spread(scene, 'registry', '/api/skills?limit=1'));
  await check('requests spread over gateways', () => spread(scene, 'gateway', '/api/skills?limit=1'));
  await check('an administrator invites a colleague, and gives and takes a key', async () =>
    administer(scene, await readAdmin(stack)),
  );
  // Waits of minutes, and how pages look, are the same here as in `npm test`.
  await runTests(run, '(?!time)[^/]*');
  await runTests(run, 'browser/(budgets|live|session)');
  await check('a page stays live while each gateway is killed', () => watchWhileKilling(run, scene));
  await check('no task is lost when one agents replica is killed', () => underWork(scene, killOne('agents')));
  await check('no task is lost when agents scale from 3 to 1 to 3', () => underWork(scene, scaleTo('agents', 1, 3)));
  for (const service of Object.keys(SCALE)) {
    await check(`kill -9 of one ${service}`, () => underLoad(scene, killOne(service), 'may fail'));
  }
  for (const service of ['agents', 'gateway', 'registry']) {
    await check(`rolling update of ${service}`, () => underLoad(scene, replaceAll(service), 'succeed'));
  }
  await check('rolling update of identity', async () => {
    const admin = await readAdmin(stack);
    return underLoad(scene, () => signInDuring(scene, admin, replaceAll('identity')), 'succeed');
  });
  await check('no request is lost when agents scale from 3 to 2 to 3', () =>
    underLoad(scene, scaleTo('agents', 2, 3), 'succeed'),
  );
  await check('a gateway replaces its processes', () => underLoad(scene, replaceProcesses, 'succeed'));
  await check('the load balancer reloads', () => underLoad(scene, reloadLoadBalancer, 'succeed'));
  await check('requests with a token go on when one identity is killed', async () =>
    readWithToken(scene, await readAdmin(stack), killOne('identity')),
  );
  await check('requests go on without identity', () => stopAll(scene, 'identity', '/agents?limit=1'));
  await check('the agents work without the registry', () => stopAll(scene, 'registry', '/agents?limit=1'));
  await check('all acknowledged data survives a SIGKILL of Redis', () => killRedis(scene));
  await check('all data survives the removal of the containers', () => removeContainers(scene));
  await check('the gateways restart with a rate limit', () => limitRates(scene));
  // `/health` has no rate limit.
  await check('requests spread over the new gateways', () => spread(scene, 'gateway', '/health'));
  await check('the gateways share one rate limit per client address', () => holdLimitTogether(scene));
}

async function comeUp({ stack, target }: Run): Promise<void> {
  await stack.up();
  await stack.waitHealthy('load-balancer', 1);
  const { status, problem } = await request(target, '/ready');
  if (status !== 200) throw new Error(`GET /ready: ${problem}`);
}

async function checkContainers(stack: Stack): Promise<void> {
  for (const service of ['redis', 'identity', 'agents', 'registry', 'gateway', 'load-balancer']) {
    const [id = ''] = await stack.replicas(service);
    const user = (await stack.exec(id, ['id', '-u'])).trim();
    if (user === '0') throw new Error(`${service} runs as root`);
    const published = await stack.inspect(id, PUBLISHED_PORTS);
    if ((published !== '') !== (service === 'load-balancer')) throw new Error(`${service} publishes "${published}"`);
  }
}

/** The API key comes from the environment; the other credentials were generated. */
async function checkCredentials({ stack, target }: Run): Promise<void> {
  const { API_KEYS: made = '' } = await readCredentials(stack);
  const apiKey = made.slice(made.indexOf(':') + 1);
  const given = await request(target, '/agents');
  const other = await request({ ...target, apiKey }, '/agents');
  if (given.status !== 200) throw new Error(`With the given key: ${given.problem}`);
  if (other.status !== 403) throw new Error(`With the other one: ${other.problem}`);
}

async function readCredentials(stack: Stack): Promise<NodeJS.Dict<string>> {
  const [gateway = ''] = await stack.replicas('gateway');
  return parseEnv(await stack.exec(gateway, ['cat', CREDENTIALS]));
}

async function readAdmin(stack: Stack): Promise<Admin> {
  const { ADMIN_EMAIL: email = '', ADMIN_PASSWORD: password = '' } = await readCredentials(stack);
  return { email, password };
}

/** `files`: a pattern of file names, without `.test.ts`. */
async function runTests(
  { stack, scorecard, target, signal, folder }: Run,
  files: string,
  more: NodeJS.ProcessEnv = {},
): Promise<void> {
  const { email, password } = await readAdmin(stack);
  const env = {
    ...process.env,
    OUTCOME_FILE: join(folder, 'outcome.json'),
    E2E_BASE_URL: target.baseUrl,
    E2E_ADMIN_EMAIL: email,
    E2E_ADMIN_PASSWORD: password,
    E2E_API_KEY: target.apiKey,
    ...more,
  };
  // In sequence, because the files count the agents of the same system.
  await rm(env.OUTCOME_FILE, { force: true });
  const args = [JEST, '--ci', '--maxWorkers=1', '--testPathPatterns', `/e2e/(${files})\\.test\\.ts$`];
  await runCommand(process.execPath, args, { cwd: ROOT, env, inherit: true, signal, timeoutMs: SUITE_TIMEOUT_MS });
  const outcome: Outcome = JSON.parse(await readFile(env.OUTCOME_FILE, 'utf8'));
  console.log(`  end-to-end tests: ${outcome.passed} passed, ${outcome.failures.length} failed`);
  scorecard.add(outcome);
  if (outcome.failures.length > 0) console.log(await stack.logs());
}

/** A browser creates tasks in a page and sees them completed, meanwhile. */
async function watchWhileKilling(run: Run, scene: Scene): Promise<string> {
  const over = join(run.folder, 'gateways-are-killed');
  const watched = runTests(run, 'browser/live', { E2E_LIVE_UNTIL: over });
  const killed = killEachGateway(scene).finally(() => writeFile(over, ''));
  return (await Promise.all([killed, watched]))[0];
}

/** @throws if a replica gets less than half of its fair share */
async function spread({ stack, target }: Scene, service: string, path: string): Promise<string> {
  const deadline = Date.now() + SPREAD_TIMEOUT_MS;
  for (;;) {
    const shares = await measureShares(stack, service, target, path);
    const seen = shares.map((share) => `${Math.round(share * 100)} %`).join(', ');
    if (shares.every((share) => share > 0.5 / shares.length)) return seen;
    if (Date.now() > deadline) throw new Error(seen);
    await sleep(1_000);
  }
}
