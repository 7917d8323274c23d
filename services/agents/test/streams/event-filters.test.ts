import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { connectAs } from '../support/callers.ts';
import { type Item as Event, openStream } from '../support/event-stream.ts';
import { startService } from '../support/start-service.ts';

const ADD_EVENTS = `for at = 1, ARGV[2] do
  local id = redis.call('INCR', KEYS[1]) .. '-0'
  local fields = { 'a', ARGV[1], 'n', at, 'y', 'task.retry', 't', 'x', 's', 'pending', 'm', ARGV[3], 'd', '' }
  redis.call('XADD', KEYS[2], id, unpack(fields))
end`;

const service = await startService();

test('finds few events among many of others by pages that each read a bounded part', async () => {
  const [rare, other] = [await service.createAgent(), await service.createAgent()];
  const { http, headers } = connectAs(service.url, 'key:a', { agents: [rare] });
  const { keys, redis } = service;
  await redis.eval(ADD_EVENTS, 2, keys.event, keys.events(), other, 11_000, Date.now());
  await service.createTask(rare);
  const pages: Event[][] = [];
  for (let path: string | undefined = '/events?limit=1'; path; ) {
    const { body, headers }: { body: Event[]; headers: Record<string, string> } = await http.get(path).expect(200);
    pages.push(body);
    path = /<([^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1];
  }
  const events = pages.flat();
  expect(events.map(({ type }) => type)).toEqual(['agent.created', 'task.created']);
  expect(pages.slice(0, -1).filter(({ length }) => length === 0).length).toBeGreaterThanOrEqual(1);
  expect(pages.length).toBeLessThan(6);
  const stream = await openStream(`${service.url}/events`, { ...headers, 'last-event-id': String(events[0]?.id) });
  await until(() => stream.items().length === 1);
  expect(stream.items()).toEqual([events[1]]);
});
