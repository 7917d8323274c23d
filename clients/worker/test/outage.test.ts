import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import { describe, expect, test } from '@jest/globals';
import { type Fault, HEARTBEAT, POLL, RESULT } from './support/fake-fleet.ts';
import { gate, useFleet } from './support/harness.ts';

const { fleet, work } = await useFleet();

describe('during an outage of the fleet', () => {
  test('polls again until it ends, and logs its beginning and its end once', async () => {
    await fleet.down();
    const { lines } = work({ handler: () => 1 });
    await until(() => lines.some((line) => line.includes('is unavailable')));
    await sleep(700);
    await fleet.up();
    await expect(fleet.reportOf(fleet.add('a'))).resolves.toMatchObject({ status: 'completed' });
    expect(lines.filter((line) => line.includes('is unavailable'))).toEqual([expect.stringContaining('ECONNREFUSED')]);
    expect(lines.filter((line) => line.includes('is available again after'))).toHaveLength(1);
  });

  test('sends unsent progress with the next heartbeat', async () => {
    const ends = gate();
    fleet.fail(HEARTBEAT, 'cut');
    fleet.add('a');
    work({
      handler: async (_task, { progress }) => {
        progress(50, 'half');
        await ends.promise;
      },
    });
    const heartbeats = await fleet.untilRequested(HEARTBEAT, 3);
    const half = { percent: 50, message: 'half' };
    expect(heartbeats.map(({ body }) => body.progress)).toEqual([half, half, undefined]);
    ends.open();
  });
});

test('sends the same report again when its response is lost', async () => {
  fleet.fail(RESULT, 'cut');
  const task = fleet.add('a');
  let returned = 0;
  await work({ maxTasks: 1, handler: () => ++returned }).done;
  await expect(fleet.reportOf(task)).resolves.toEqual({ status: 'completed', result: 1 });
  const [first, second] = fleet.all(RESULT);
  expect(second?.body).toEqual(first?.body);
});

test.each<[string, Fault]>([
  ...[429, 500, 502, 503, 504].map((status): [string, Fault] => [
    `${status}: later`,
    { status, body: { error: 'x', message: 'later' } },
  ]),
  ['not JSON', { status: 200, body: 'hello' }],
  ['has no leases', { status: 200, body: { leases: [{ id: 'l1', token: 't', task: null }] } }],
])('polls again after an unusable response, and logs its reason: %s', async (reason, fault) => {
  fleet.fail(POLL, fault);
  const { lines } = work({ handler: () => 1 });
  await expect(fleet.reportOf(fleet.add('a'))).resolves.toMatchObject({ status: 'completed' });
  expect(lines).toContainEqual(expect.stringContaining(reason));
});

test.each<[string, Fault, number]>([
  ['honours Retry-After', { status: 503, headers: { 'retry-after': '1' } }, 950],
  ['does not poll in a loop while polls return nothing at once', { status: 204 }, 500],
])('%s', async (_what, fault, minMs) => {
  fleet.fail(POLL, fault);
  work({ handler: () => 1 });
  const [first, second] = await fleet.untilRequested(POLL, 2);
  expect(Number(second?.atMs) - Number(first?.atMs)).toBeGreaterThan(minMs);
});

test.each<[string, number, unknown, { agentId?: string }]>([
  ['Credentials refused by the fleet at', 401, { detail: 'Could not validate credentials' }, {}],
  ['(403: Invalid API key)', 403, { detail: 'Invalid API key' }, {}],
  ['Agent a1 not found', 404, { detail: 'Agent not found' }, { agentId: 'a1' }],
  ['(404: Not found)', 404, { error: 'not_found', message: 'Not found' }, {}],
  ['types must be one of a', 400, { details: { fields: [{ path: 'types', message: 'must be one of a' }] } }, {}],
  ['redirect 308 to https://other', 308, undefined, {}],
])('rejects for good with "%s" after status %i', async (message, status, body, options) => {
  fleet.fail(POLL, { status, body, headers: { location: 'https://other' } });
  const worker = work({ ...options, handler: () => 1 });
  await expect(worker.done).rejects.toThrow(message);
  await worker.stop();
  expect(fleet.count(POLL)).toBe(1);
});

test('lets running tasks finish when a poll is refused finally', async () => {
  const ends = gate();
  const task = fleet.add('a');
  const worker = work({ concurrency: 3, handler: () => ends.promise });
  await fleet.untilRequested(HEARTBEAT);
  fleet.fail(POLL, { status: 403, body: {} }, Number.POSITIVE_INFINITY);
  fleet.add('b');
  await until(() => worker.lines.some((line) => line.includes('stopping')));
  ends.open();
  await expect(fleet.reportOf(task)).resolves.toMatchObject({ status: 'completed' });
  await expect(worker.done).rejects.toThrow('403');
});

test('retries a report until refused credentials are replaced', async () => {
  fleet.fail(RESULT, { status: 401, body: {} }, 2);
  const task = fleet.add('a');
  work({ handler: () => 1 });
  await expect(fleet.reportOf(task)).resolves.toMatchObject({ status: 'completed' });
});
