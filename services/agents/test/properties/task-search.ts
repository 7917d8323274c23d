import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { FleetContext } from '../../src/redis/fleet-context.ts';
import { createTaskReader } from '../../src/tasks/store/task-reader.ts';
import { TaskSearch } from '../../src/tasks/store/task-search.ts';
import { connectAs } from '../support/callers.ts';
import { type StartedService, startService } from '../support/start-service.ts';

const TYPES = ['claude', 'gpt', 'gemini'];
const TAGS = ['a', 'b:status:pending', 'ü %'];
const WORKERS = ['w', 'w:status:running', '😀 %'];
const STATUSES = ['pending', 'running', 'completed', 'failed', 'cancelled'];
const FIELDS = ['id', 'agent_id', 'status', 'input', 'tags', 'worker_id', 'created_at', 'result'];

interface Task {
  id: string;
  agent_id: string;
  status: string;
  tags: string[] | null;
  worker_id: string | null;
  created_at: string;
}

const pick = <T>(values: readonly T[]) => values[Math.floor(Math.random() * values.length)] as T;

/** Creates agents, some of which change, and tasks in all states. */
async function fill({ http, ...service }: StartedService) {
  const agents: string[] = [];
  for (let at = 0; at < 9; at++) agents.push(await service.createAgent(TYPES[at % 3]));
  /** By task, the type that it was created with. */
  const typeOf = new Map<string, string>();
  for (let at = 0; at < 220; at++) {
    const agent = pick(agents);
    const retyped = TYPES[Math.floor(at / 60) % 3] as string;
    if (at % 60 === 0) await http.put(`/agents/${agents[2]}`).send({ name: 'y', type: retyped }).expect(200);
    const fields = { max_attempts: pick([1, 3]), input: { at, __proto__: 1 }, tags: pick([null, [pick(TAGS)], TAGS]) };
    const { id } = await service.createTask(agent, fields);
    typeOf.set(id, (agent === agents[2] ? retyped : TYPES[agents.indexOf(agent) % 3]) as string);
    if (at % 9 === 0) await http.put(`/agents/${agent}/tasks/${id}/cancellation`).expect(200);
    if (at % 3 === 0) continue;
    const { leases } = (await service.lease(pick(agents), { worker_id: pick(WORKERS), lease_seconds: 900 })).body;
    if (leases && at % 2) await service.report(leases[0], { status: pick(['completed', 'failed', 'cancelled']) });
    else if (leases && at % 5 === 0) await service.release(leases[0]);
  }
  await http.delete(`/agents/${agents[4]}`).expect(204);
  const allTasks = (await http.get('/tasks?limit=1000')).body as Task[];
  return { agents, allTasks, typeOf };
}

/** One of the values in one of `of` cases. */
const rarely = <T>(of: number, values: readonly T[]) =>
  fc.oneof({ weight: of - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constantFrom(...values) });
const lists = (values: readonly string[]) => fc.array(fc.constantFrom(...values)).map((list) => list.join());
const fields = fc.option(
  fc.array(fc.constantFrom(...FIELDS), { minLength: 1 }).map((list) => list.join()),
  { nil: undefined },
);
const page = fc.record({ skip: fc.nat(150), limit: fc.integer({ min: 1, max: 80 }) });
const order = fc.constantFrom('asc', 'desc', undefined);

/** Searches for what there is, and for some that there is not. */
function createArbitraries(agents: readonly string[], allTasks: readonly Task[]) {
  /** Times of tasks, and just before and after them. */
  const times = allTasks.flatMap(({ created_at: time }) => [
    time,
    time.replace('Z', '1Z'),
    time.replace('Z', '000+00:00'),
    new Date(Date.parse(time) - 1).toISOString().replace('Z', '9999z'),
  ]);
  const filters = fc.record({
    status: fc.option(lists([...STATUSES, 'nope', '']), { nil: undefined, freq: 2 }),
    type: rarely(3, [...TYPES, 'none']),
    tag: rarely(3, [...TAGS, 'none']),
    agent_id: rarely(5, [...agents, 'none']),
    worker_id: rarely(2, [...WORKERS, 'none']),
    id: rarely(20, [...allTasks.map(({ id }) => id), agents[0], 'none']),
    created_after: rarely(3, times),
    created_before: rarely(3, times),
  });
  /** The agents of a key; some do not exist. */
  const limits = fc.option(fc.uniqueArray(fc.constantFrom(...agents, 'no-uuid', crypto.randomUUID())), {
    nil: undefined,
    freq: 2,
  });
  return { filters, limits };
}
type Filter = ReturnType<typeof createArbitraries>['filters'] extends fc.Arbitrary<infer T> ? T : never;

/** Whole ms, and whether there is a fraction of one. */
function toMs(time: string): { ms: number; hasRest: boolean } {
  const [, whole = '', rest = ''] = /^(.*\.\d{3})(\d*)/.exec(time) ?? [];
  return { ms: Date.parse(`${whole}Z`), hasRest: Number(rest) > 0 };
}

const isAfter = (at: number, time: string) => at > toMs(time).ms;
const isBefore = (at: number, time: string) => at < toMs(time).ms || (at === toMs(time).ms && toMs(time).hasRest);

function isMatch(typeOf: ReadonlyMap<string, string>, filter: Filter, task: Task): boolean {
  const { status, type, tag, agent_id, worker_id, id, created_after: after, created_before: before } = filter;
  const at = Date.parse(task.created_at);
  return (
    (!status || status.split(',').includes(task.status)) &&
    (type ?? typeOf.get(task.id)) === typeOf.get(task.id) &&
    (tag === undefined || task.tags?.includes(tag) === true) &&
    (agent_id ?? task.agent_id) === task.agent_id &&
    (worker_id === undefined || task.worker_id === worker_id) &&
    (id ?? task.id) === task.id &&
    (after === undefined || isAfter(at, after)) &&
    (before === undefined || isBefore(at, before))
  );
}

/** The records as a list returns them. */
function arrange<T extends object>(records: readonly T[], direction: string | undefined, fields: string | undefined) {
  const names = fields?.split(',');
  const found = direction === 'desc' ? records.toReversed() : records;
  return found.map((record) =>
    names
      ? Object.fromEntries(Object.entries(record).filter(([name]) => name === 'id' || names.includes(name)))
      : record,
  );
}

/** Reads a page and those after it by its links, and compares them with what is expected. */
async function expectPages(
  { http }: Pick<ReturnType<typeof connectAs>, 'http'>,
  path: string,
  parameters: Record<string, string | undefined>,
  { skip, limit }: { skip: number; limit: number },
  expected: readonly object[],
): Promise<void> {
  const given = Object.entries({ ...parameters, skip, limit }).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  const found: object[] = [];
  let next: string | undefined = `${path}?${query}`;
  while (next) {
    const { headers, body }: { headers: Record<string, string>; body: object[] } = await http.get(next).expect(200);
    expect(headers['x-total-count']).toBe(String(expected.length));
    const isLast = skip + found.length + body.length >= expected.length;
    expect(body.length).toBe(isLast ? Math.max(0, expected.length - skip - found.length) : limit);
    found.push(...body);
    next = /<([^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1];
    expect(next === undefined).toBe(isLast);
  }
  expect(found).toEqual(expected.slice(skip));
}

/** `share`: of the runs of each property. */
export async function specifyTaskSearch(share: number): Promise<void> {
  const service = await startService();
  const { agents, allTasks, typeOf } = await fill(service);
  const { filters, limits } = createArbitraries(agents, allTasks);
  const matches = (filter: Filter) => (task: Task) => isMatch(typeOf, filter, task);

  test('pages over any search like a filter of all tasks, also for keys that are limited to agents', async () => {
    const property = fc.asyncProperty(
      filters,
      order,
      fields,
      page,
      limits,
      async (filter, direction, names, part, visible) => {
        const matching = allTasks.filter((task) => matches(filter)(task) && visible?.includes(task.agent_id) !== false);
        const client = visible ? connectAs(service.url, 'key:a', { agents: visible }) : service;
        const expected = arrange(matching, direction, names);
        await expectPages(client, '/tasks', { ...filter, order: direction, fields: names }, part, expected);
      },
    );
    await fc.assert(property, { numRuns: Math.ceil(share * 300) });
  });

  test('counts and reads the ids of a search in steps', async () => {
    const context = service as unknown as FleetContext;
    const search = new TaskSearch(context, createTaskReader(context));
    const property = fc.asyncProperty(filters, fc.integer({ min: 1, max: 50 }), async (filter, limit) => {
      const matching = allTasks.filter(matches(filter)).map(({ id }) => id);
      const { status, created_after: after, created_before: before, ...rest } = filter;
      const given = {
        ...rest,
        status: status ? STATUSES.filter((one) => status.split(',').includes(one)) : undefined,
        created_after: after && new Date(toMs(after).ms).toISOString(),
        created_before: before && new Date(toMs(before).ms + (toMs(before).hasRest ? 1 : 0)).toISOString(),
      };
      expect(await search.countMatching(given)).toBe(matching.length);
      const found: string[] = [];
      for (let next: string | undefined, steps = 0; steps === 0 || next !== undefined; steps++) {
        const step = await search.readIds(given, next, limit);
        expect(step.ids.length).toBeLessThanOrEqual(limit);
        found.push(...step.ids);
        next = step.next;
      }
      expect(found).toEqual(matching);
    });
    await fc.assert(property, { numRuns: Math.ceil(share * 150) });
  });
}
