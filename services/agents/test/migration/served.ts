import { etagOf } from '@agent-fleet/shared/http/etag';
import { expect } from '@jest/globals';
import { type Answer, digestOf, type KeptRequest, shiftTimes, version1 } from './version-1.ts';

type FleetEvent = Record<string, unknown> & { id: string };

interface Received {
  status: number;
  text: string;
  headers: Headers;
}

/** Reads what 1.0 had served, and expects it byte for byte, apart from the time shift. */
export async function expectAsServed(url: string, shiftMs: number): Promise<void> {
  const found: Answer[] = [];
  for (const { path } of version1.gets) found.push(await readAnswer(url, path, shiftMs));
  expect(found).toEqual(version1.gets);
  // 1.0's sweep added the events of interrupted changes in another order of agents.
  const { text } = await request(url, 'GET', `/events?after=${version1.eventCount}&limit=1000`);
  const later = (JSON.parse(shiftTimes(text, -shiftMs)) as FleetEvent[]).map(({ id, ...event }) => event);
  const sorted = later.map((event) => JSON.stringify(event)).toSorted();
  expect({ count: later.length, digest: digestOf(sorted.join('\n')) }).toEqual(version1.laterEvents);
}

async function readAnswer(url: string, path: string, shiftMs: number): Promise<Answer> {
  const { status, text, headers } = await request(url, 'GET', path);
  const [total, link, etag] = ['x-total-count', 'link', 'etag'].map((name) => headers.get(name));
  const body = withoutLaterFields(shiftTimes(text, -shiftMs));
  return {
    path,
    status,
    ...(total && { total: Number(total) }),
    ...(link && { link }),
    // The ETag is the digest of the record, whose times are shifted.
    ...(etag && { etag: etag === etagOf(text) ? etagOf(body) : etag }),
    digest: digestOf(body),
  };
}

/** A body without the fields that version 1.0 did not have. */
function withoutLaterFields(body: string): string {
  const ofTasks =
    ',"skills":null,"workspace":null,"model":null,"output_schema":null,"max_cost":null,"continue_of":null,"usage":null,"cost":null,"traceparent":null';
  const ofAttempts = '"usage":null,"cost":null,"model":null';
  return body.replaceAll(ofTasks, '').replaceAll(`${ofAttempts},`, '').replaceAll(`,${ofAttempts}`, '');
}

/** Leases all ready tasks of each agent, and expects the order in which 1.0 leased them. */
export async function expectOrder(url: string): Promise<void> {
  const agents = JSON.parse((await request(url, 'GET', '/agents?limit=1000')).text) as { id: string }[];
  const orders: { agentId: string; tasks: string[] }[] = [];
  for (const { id } of agents) {
    const tasks: string[] = [];
    for (;;) {
      const { status, text } = await request(url, 'POST', `/agents/${id}/leases`, {
        worker_id: 'order',
        max_tasks: 20,
      });
      if (status === 204) break;
      tasks.push(...JSON.parse(text).leases.map(({ task }: { task: { id: string } }) => task.id));
    }
    if (tasks.length > 0) orders.push({ agentId: id, tasks });
  }
  // 1.0 left the job of a task whose priority was replaced at the old one when its process crashed in between.
  const crashed = version1.agents['crash: replace task'];
  const expected = version1.orders.map(({ agentId, tasks }) => ({
    agentId,
    tasks: agentId === crashed ? tasks.toReversed() : tasks,
  }));
  expect(orders).toEqual(expected);
}

/** Goes on with a lease that 1.0 gave: a heartbeat, then the result. */
export async function finishHeldLeases(url: string): Promise<void> {
  for (const { what, id, token } of version1.heldLeases) {
    const beat = await request(url, 'PUT', `/leases/${id}/heartbeat`, { token });
    expect([what, beat.status, JSON.parse(beat.text).cancel_requested]).toEqual([
      what,
      200,
      what === 'cancel requested',
    ]);
    const wrong = await request(url, 'PUT', `/leases/${id}/result`, { token: 'x', status: 'completed' });
    expect(wrong.status).toBe(409);
    const result = { token, status: 'completed', result: what };
    const done = await request(url, 'PUT', `/leases/${id}/result`, result);
    expect([done.status, JSON.parse(done.text)]).toEqual([
      200,
      expect.objectContaining({ status: 'completed', result: what }),
    ]);
    expect((await request(url, 'PUT', `/leases/${id}/result`, result)).text).toBe(done.text);
  }
}

/** Repeats the requests with an `Idempotency-Key` whose replies 1.0 kept. */
export async function expectReplays(url: string, shiftMs: number): Promise<void> {
  for (const kept of version1.requests.filter(({ reply }) => reply !== undefined)) {
    const { status, text, headers } = await repeat(url, kept);
    expect([kept.what, status, text]).toEqual([kept.what, kept.status, shiftTimes(kept.reply as string, shiftMs)]);
    expect(headers.get('location')).toBe(kept.location);
    expect(headers.get('etag')).toBe(kept.etag && etagOf(text));
    expect(headers.get('idempotency-replayed')).toBe('true');
  }
}

/** The requests whose process crashed before it stored the reply: the next one must not create anything twice. */
export const crashedRequests = version1.requests.filter(({ reply }) => reply === undefined);

export function repeat(url: string, { path, body, key }: KeptRequest): Promise<Received> {
  return request(url, 'POST', path, body, { 'idempotency-key': key });
}

export async function request(
  url: string,
  method: string,
  path: string,
  body?: object,
  headers?: Record<string, string>,
): Promise<Received> {
  const response = await fetch(url + path, {
    method,
    headers: {
      'x-fleet-principal': 'user:ada@example.com',
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body && JSON.stringify(body),
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}
