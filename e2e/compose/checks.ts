import { workOnBareMachines } from './bare-machines.ts';
import { killOne, reloadLoadBalancer, replaceAll, scaleOut, scaleTo } from './changes.ts';
import { checkCredentials } from './credentials.ts';
import { runTests } from './e2e-tests.ts';
import { administer, readWithToken, signInDuring } from './identity.ts';
import { holdLimitTogether, LIMIT_PER_MINUTE } from './limits.ts';
import { request } from './load.ts';
import { killRedis, removeContainers, stopAll } from './outages.ts';
import { watchWhileKilling } from './pages.ts';
import type { Run } from './run.ts';
import { spread } from './spread.ts';
import { atOnce, type Change, inTurn, underLoad, underWork } from './under-load.ts';

const PUBLISHED_PORTS = '{{range .NetworkSettings.Ports}}{{range .}}{{.HostPort}} {{end}}{{end}}';
const LIMITED = ['RATE_LIMIT_PER_MINUTE', String(LIMIT_PER_MINUTE)] as const;

/**
 * Checks an empty, then a scaled, then a failing and restarted stack, in the order of a real deployment. @throws if
 * interrupted
 */
export async function checkStack(run: Run): Promise<void> {
  const check = (name: string, change: Change) => checkOne(run, name, change);
  if (!(await check('the stack starts without any data', comeUp))) return;
  await check('services do not run as root, and only the load balancer has a port', checkContainers);
  if (run.isNight) await check('machines with only Node, and only Python, work on tasks', workOnBareMachines);
  await check('credentials of the environment override generated ones', checkCredentials);
  await check('the stack scales under load', underLoad(scaleOut, 'may fail'));
  await check('requests for agents spread', spread('agents', '/agents?limit=1'));
  await check('requests for skills spread', spread('registry', '/api/skills/write-release-notes/skill.md'));
  await check('requests spread over gateways', spread('gateway', '/api/skills?limit=1'));
  await check('an administrator invites a colleague, and gives and takes a key', administer);
  // Each documented response, and tasks, leases and events over all replicas. The night runs all tests, but for waits
  // of minutes, and how pages look: they are the same here as on this machine.
  if (run.isNight) {
    await runTests(run, '(?!time)[^/]*');
    await runTests(run, 'browser/(budgets|live|session)');
  } else {
    await runTests(run, 'contract|work');
  }
  await check('a page stays live while each gateway is killed', () => watchWhileKilling(run));
  await (run.isNight ? changeOneByOne(check) : changeTogether(check));
  await check('the load balancer reloads', underLoad(reloadLoadBalancer, 'succeed'));
  await check('requests go on without identity and registry', stopAll(['identity', 'registry'], '/agents?limit=1'));
  await check('all acknowledged data survives a SIGKILL of Redis', killRedis);
  await check('all data survives the removal of the containers', removeContainers(LIMITED));
  // `/health` has no rate limit.
  await check('requests spread over the new gateways', spread('gateway', '/health'));
  await check('the gateways share one rate limit per client address', holdLimitTogether);
}

type Check = (name: string, change: Change) => Promise<unknown>;

/** The changes of `changeOneByOne`, in fewer steps: each step has the work, or the load, of several. */
async function changeTogether(check: Check): Promise<void> {
  await check(
    'no task is lost when one agents, registry and gateway is killed',
    underWork(underLoad(inTurn(killOne('agents'), killOne('registry'), killOne('gateway')), 'may fail')),
  );
  await check(
    'requests with a token go on when one identity is killed',
    readWithToken(underLoad(killOne('identity'), 'may fail')),
  );
  await check(
    'no request and no task is lost when agents scale from 2 to 1 to 2',
    underWork(underLoad(scaleTo('agents', 1, 2), 'succeed')),
  );
  await check(
    'rolling updates of agents, registry and identity',
    underLoad(atOnce(replaceAll('agents'), replaceAll('registry'), signInDuring(replaceAll('identity'))), 'succeed'),
  );
  await check('rolling update of gateway', underLoad(replaceAll('gateway'), 'succeed'));
}

async function changeOneByOne(check: Check): Promise<void> {
  await check('no task is lost when one agents replica is killed', underWork(killOne('agents')));
  await check('no task is lost when agents scale from 3 to 1 to 3', underWork(scaleTo('agents', 1, 3)));
  for (const service of ['agents', 'gateway', 'identity', 'registry']) {
    await check(`kill -9 of one ${service}`, underLoad(killOne(service), 'may fail'));
  }
  for (const service of ['agents', 'gateway', 'registry']) {
    await check(`rolling update of ${service}`, underLoad(replaceAll(service), 'succeed'));
  }
  await check('rolling update of identity', underLoad(signInDuring(replaceAll('identity')), 'succeed'));
  await check('no request is lost when agents scale from 3 to 2 to 3', underLoad(scaleTo('agents', 2, 3), 'succeed'));
  await check('requests with a token go on when one identity is killed', readWithToken(killOne('identity')));
  for (const service of ['identity', 'registry']) {
    await check(`requests go on without ${service}`, stopAll([service], '/agents?limit=1'));
  }
}

async function checkOne({ scene, scorecard, signal }: Run, name: string, change: Change): Promise<boolean> {
  signal.throwIfAborted();
  const passed = await scorecard.check(name, () => change(scene));
  if (!passed) console.log(await scene.stack.logs());
  return passed;
}

const comeUp: Change = async ({ stack, target }) => {
  await stack.up();
  await stack.waitHealthy('load-balancer', 1);
  const { status, problem } = await request(target, '/ready');
  if (status !== 200) throw new Error(`GET /ready: ${problem}`);
  return undefined;
};

const checkContainers: Change = async ({ stack }) => {
  for (const service of ['redis', 'identity', 'agents', 'registry', 'gateway', 'load-balancer']) {
    const [id = ''] = await stack.replicas(service);
    const user = (await stack.exec(id, ['id', '-u'])).trim();
    if (user === '0') throw new Error(`${service} runs as root`);
    const published = await stack.inspect(id, PUBLISHED_PORTS);
    if ((published !== '') !== (service === 'load-balancer')) throw new Error(`${service} publishes "${published}"`);
  }
  return undefined;
};
