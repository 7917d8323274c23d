import { own } from '@agent-fleet/scripts/testing/own';
import { until } from '@agent-fleet/shared/testing/until';
import { beforeAll, expect, test } from '@jest/globals';
import { apiKey } from '../../harness/accounts.ts';
import type { Agent, Api } from '../../harness/api.ts';
import type { EventStream, FleetEvent } from '../../harness/event-stream.ts';
import type { Credential } from '../../harness/http-client.ts';
import { lastFleetEvent } from '../events.ts';
import { expectResponse, listAll, pagesOf } from '../expectations.ts';

/** docs/contract.md "API keys": a key with `agent_ids` reads only the events of these agents. */
export function specifyLimitedEvents(api: Api): void {
  let mine: Agent[];
  let others: Agent[];
  let as: Credential;
  let after: string;

  const limitedTo = async (agents: Agent[]): Promise<Credential> => {
    const agent_ids = agents.map(({ id }) => id);
    return apiKey((await api.accounts.createKey({ scopes: ['events:read'], agent_ids })).key);
  };
  const isMine = ({ agent_id }: FleetEvent) => mine.some(({ id }) => id === agent_id);
  const idsOf = (events: { data: FleetEvent }[]) => events.map(({ data }) => data.id);
  async function open(headers: Record<string, string>): Promise<EventStream> {
    const stream = await api.stream('/events', headers);
    own(() => stream.close());
    return stream;
  }
  /** What the key may see of what has happened since `after`. */
  const readVisible = async () =>
    (await Promise.all(mine.map(({ id }) => listAll<FleetEvent>(api, `/events?agent_id=${id}&after=${after}`))))
      .flat()
      .toSorted((one, other) => Number(one.id) - Number(other.id));

  /** In turns, so that pages of all events have both. */
  async function createTasks(): Promise<void> {
    for (const [at, { id }] of mine.entries()) {
      await api.createTask(String(others[at]?.id));
      await api.createTask(id);
    }
  }

  beforeAll(async () => {
    after = await lastFleetEvent(api);
    others = await api.createAgents(2);
    mine = await api.createAgents(2);
    as = await limitedTo(mine);
    for (let round = 0; round < 3; round++) await createTasks();
  });

  test('are listed with the ids that they have for all, and Link continues', async () => {
    const expected = await readVisible();
    expect(expected).toHaveLength(8);
    for (const limit of [1, 3, 1000]) {
      const pages = (await pagesOf(api, `/events?after=${after}&limit=${limit}`, as)).map(
        ({ json }) => json as FleetEvent[],
      );
      expect(pages.flat()).toEqual(expected);
      expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(limit);
    }
    expectResponse(await api.call('GET', `/events?after=${expected.at(-1)?.id}`, { as }), 200, []);
  });

  test('are streamed: from now on, past ones, and after a resync', async () => {
    const [first] = await readVisible();
    const streams = await Promise.all([
      open(as),
      open({ ...as, 'last-event-id': String(first?.id) }),
      open({ ...as, 'last-event-id': '9007199254740991' }),
    ]);
    await createTasks();
    const visible = (await readVisible()).map(({ id }) => id);
    for (const stream of streams) await until(() => idsOf(stream.events).includes(String(visible.at(-1))));
    const [live, past, gone] = streams.map(({ events }) => events);
    expect(idsOf(live ?? [])).toEqual(visible.slice(-2));
    expect(idsOf(past ?? [])).toEqual(visible.slice(1));
    expect(gone?.[0]?.data.type).toBe('resync');
    expect(gone?.slice(1).filter(({ data }) => !isMine(data))).toEqual([]);
  });

  test('tell of the deletion of an own agent, and of no other', async () => {
    const [agent, foreign] = [await api.createAgent(), await api.createAgent()];
    const stream = await open(await limitedTo([agent]));
    for (const { id } of [foreign, agent]) await api.call('DELETE', `/agents/${id}`);
    const [event] = await stream.take(1);
    expect(event?.data).toMatchObject({ type: 'agent.deleted', agent_id: agent.id });
  });
}
