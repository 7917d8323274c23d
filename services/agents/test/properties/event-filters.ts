import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { connectAs } from '../support/callers.ts';
import type { Item as Event } from '../support/event-stream.ts';
import { startService } from '../support/start-service.ts';

const TYPES = [
  'agent.created',
  'agent.replaced',
  'agent.status',
  'task.created',
  'task.leased',
  'task.completed',
  'resync',
];

/** `share`: of the runs of each property. */
export async function specifyEventFilters(share: number): Promise<void> {
  const service = await startService();
  afterAll(() => service.close());

  const read = async (path: string) => (await service.http.get(path).expect(200)).body as Event[];

  const agents = [
    await service.createAgent('claude'),
    await service.createAgent('gpt'),
    await service.createAgent('gpt'),
  ];
  /** Creates tasks, completes some and changes a type. */
  async function live(rounds: number): Promise<void> {
    for (let at = 0; at < rounds; at++) {
      const agent = agents[at % 3] as string;
      await service.createTask(agent);
      if (at % 2 === 0) {
        const [lease] = (await service.lease(agent)).body.leases;
        await service.report(lease, { status: 'completed' }).expect(200);
      }
      if (at % 5 === 0) {
        const type = at % 2 ? 'gemini' : 'claude';
        await service.http.put(`/agents/${agents[2]}`).send({ name: 'y', type }).expect(200);
      }
    }
  }
  await live(30);

  /** Adds to events the type that the agent had then. */
  function withTypes(events: readonly Event[]): (Event & { agentType: string | undefined })[] {
    const types = new Map(agents.map((id, at) => [id, at === 0 ? 'claude' : 'gpt']));
    return events.map((event) => {
      if (event.data?.type !== undefined) types.set(event.agent_id, event.data.type);
      return { ...event, agentType: types.get(event.agent_id) };
    });
  }

  test('lists the events that match all filters, in both orders, by pages that continue by links', async () => {
    const all = await read('/events?limit=1000');
    const property = fc.asyncProperty(
      fc.option(fc.array(fc.constantFrom(...TYPES), { minLength: 1 }), { nil: undefined, freq: 2 }),
      fc.option(fc.constantFrom('claude', 'gpt', 'gemini', 'none', ''), { nil: undefined, freq: 2 }),
      fc.option(fc.constantFrom(...agents, 'none', ''), { nil: undefined, freq: 2 }),
      fc.option(fc.uniqueArray(fc.constantFrom(...agents)), { nil: undefined, freq: 3 }),
      fc.integer({ min: 1, max: 40 }),
      fc.constantFrom(undefined, 'asc', 'desc'),
      async (types, agentType, agentId, visible, limit, order) => {
        const expected = withTypes(all)
          .filter(
            (event) =>
              types?.includes(event.type) !== false &&
              (agentType || event.agentType) === event.agentType &&
              (agentId || event.agent_id) === event.agent_id &&
              visible?.includes(event.agent_id) !== false,
          )
          .map(({ agentType: _, ...event }) => event);
        const { http } = visible ? connectAs(service.url, 'key:a', { agents: visible }) : service;
        const given = { types: types?.join(), agent_type: agentType, agent_id: agentId, limit: String(limit), order };
        const query = new URLSearchParams(
          Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
        );
        const isFiltered = types || agentType || agentId || visible;
        const found: Event[] = [];
        for (let path: string | undefined = `/events?${query}`; path; ) {
          const { body, headers }: { body: Event[]; headers: Record<string, string> } = await http
            .get(path)
            .expect(200);
          expect(body.length).toBeLessThanOrEqual(limit);
          found.push(...body);
          path = /<([^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1];
          if (!isFiltered && order !== 'desc') expect(path).toBeUndefined();
        }
        if (order === 'desc') expect(found).toEqual(expected.toReversed());
        else expect(found).toEqual(isFiltered ? expected : all.slice(0, limit));
      },
    );
    await fc.assert(property, { numRuns: Math.ceil(share * 100) });
  });
}
