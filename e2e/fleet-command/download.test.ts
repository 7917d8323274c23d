import { delimiter, dirname, join } from 'node:path';
import { ROOT } from '@agent-fleet/scripts/services';
import { readCommand } from '@agent-fleet/scripts/testing/command';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { expect, test } from '@jest/globals';
import { Api } from '../harness/api.ts';

const HANDLER = join(ROOT, 'clients/worker/examples/echo-handler.sh');
const TIMEOUT_MS = 120_000;

const api = Api.duringTests();

test(
  'a machine with no more than Node works on a task with the package that the fleet serves',
  async () => {
    const { id: agent } = await api.createAgent();
    const task = await api.createTask(agent, { message: 'on a bare machine' });
    const home = ownFolder();
    // The Node of the system, which may be an older one.
    const paths = (process.env.PATH ?? '').split(delimiter).filter((path) => !path.includes('node_modules'));
    const env = {
      PATH: [...paths, dirname(process.execPath)].join(delimiter),
      HOME: home,
      FLEET_URL: api.baseUrl,
      FLEET_API_KEY: api.apiKey,
    };
    const fleet = ['--yes', '--package', `${api.baseUrl}/download/fleet.tgz`, 'fleet'];
    await readCommand('npx', [...fleet, 'worker', '--agent', agent, '--once', '--exec', HANDLER], { cwd: home, env });
    expect(await api.readTask(task)).toMatchObject({ status: 'completed' });
  },
  TIMEOUT_MS,
);
