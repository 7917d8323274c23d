import { expect, test } from '@jest/globals';
import { createFleet } from '../src/index.ts';
import { type Answer, useServer } from './support/test-server.ts';

const { url, received, answerAll } = await useServer();
const fleet = createFleet({ url, apiKey: 'key' });
const TASK = { agentId: 'a', taskId: 't/1' };
const taskWith = (status: string): Answer => ({ json: { id: 't/1', status } });

test('does not ask in a loop if the fleet answers at once', async () => {
  answerAll(taskWith('running'));
  await expect(fleet.waitForTask(TASK, { timeoutMs: 1_200 })).rejects.toMatchObject({
    code: 'wait_timeout',
    status: 0,
  });
  expect(received.length).toBeLessThanOrEqual(3);
  // For no longer than the time that is left, which may be none when this machine is slow.
  for (const { url: path } of received) expect(path).toMatch(/wait=[012]$/);
});

test('ends when the task needs input, if that is wanted', async () => {
  answerAll(taskWith('input_required'));
  expect(await fleet.waitForTask(TASK, { until: 'input' })).toMatchObject({ status: 'input_required' });
  await expect(fleet.waitForTask(TASK, { timeoutMs: 600 })).rejects.toMatchObject({ code: 'wait_timeout' });
  expect(received[0]?.url).toContain('until=input');
});

test('says that the fleet is unavailable when its time ends in an outage', async () => {
  answerAll('cut');
  const waiting = fleet.waitForTask(TASK, { timeoutMs: 3_000 });
  await expect(waiting).rejects.toMatchObject({ name: 'FleetUnavailableError' });
});
