import { setTimeout as sleep } from 'node:timers/promises';
import { createFleet } from '@agent-fleet/sdk';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FleetProgram } from './fleet-command/fleet-program.ts';
import { Api } from './harness/api.ts';
import { CONTROLS_PROCESSES, logOmittedTests } from './harness/system.ts';

const api = new Api();

/** The gateway is killed, and started again. */
async function crash(): Promise<void> {
  await api.fleet.services.gateway.kill();
  await api.fleet.services.gateway.start();
}

if (CONTROLS_PROCESSES) {
  beforeAll(() => api.open({}), 180_000);
  afterAll(() => api.close(), 180_000);
  describe('Across crashes of the gateway', specifyClients);
} else {
  logOmittedTests('clients while a gateway crashes');
}

function specifyClients(): void {
  test('the SDK waits for a task', async () => {
    const fleet = createFleet({ url: api.baseUrl, apiKey: api.apiKey });
    const agent = await api.createAgent();
    const task = await api.createTask(agent.id);
    const waiting = fleet.waitForTask({ agentId: agent.id, taskId: task.id });
    await sleep(500);
    await api.fleet.services.gateway.kill();
    await sleep(1_000);
    await api.fleet.services.gateway.start();
    const lease = await api.lease(agent.id);
    await api.report(lease, { result: 17 });
    await expect(waiting).resolves.toMatchObject({ id: task.id, status: 'completed', result: 17 });
  });

  test('fleet tasks watch and events --follow miss nothing', async () => {
    const program = new FleetProgram({ FLEET_URL: api.baseUrl, FLEET_API_KEY: api.apiKey });
    const [agent, watched] = await api.createAgents(2);
    const task = await api.createTask(String(watched?.id));
    const [follows, watches] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const following = program.run(['events', '--follow', '--after', '0', '--agent', String(agent?.id), '--json'], {
      on: [
        ['agent.created', () => follows.resolve()],
        ['agent.deleted', (kill) => kill('SIGINT')],
      ],
    });
    const watching = program.run(['tasks', 'watch', task.id, '--json'], {
      on: [['task.created', () => watches.resolve()]],
    });
    await Promise.all([follows.promise, watches.promise]);
    const created: string[] = [];
    for (let round = 0; round < 3; round++) {
      for (let index = 0; index < 5; index++) created.push((await api.createTask(String(agent?.id))).id);
      await crash();
    }
    const lease = await api.lease(String(watched?.id));
    await crash();
    await api.report(lease);
    await api.call('DELETE', `/agents/${agent?.id}`);
    const [events, task_events] = (await Promise.all([following, watching])).map(({ code, stdout, stderr }) => ({
      ...{ code, stderr },
      events: stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { type: string; task_id?: string }),
    }));
    const seen = events?.events.filter(({ type }) => type === 'task.created').map(({ task_id }) => task_id);
    expect(seen).toEqual(created);
    expect(task_events).toMatchObject({ code: 0, stderr: '' });
    expect(task_events?.events.map(({ type }) => type)).toEqual(['task.created', 'task.leased', 'task.completed']);
  });
}
