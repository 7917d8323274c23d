import { expect, test } from '@jest/globals';
import { createFleet, type Fleet, type FleetError, FleetUnavailableError } from '../src/index.ts';
import cases from './client-cases.json' with { type: 'json' };
import { type Answer, useServer } from './support/test-server.ts';

/** What any client makes of the answers of a server; the tests of `clients/python` read the same. */
interface Case {
  name: string;
  call: string;
  retries?: number;
  answers: ('cut' | GivenAnswer)[];
  /** How many requests the server got, with how many different `Idempotency-Key`s. */
  requests?: number;
  keys?: number;
  paths?: string[];
  lastEventIds?: (string | null)[];
  /** Of the records that were read. */
  ids?: string[];
  error?: { message?: string; isUnavailable?: boolean };
}

type GivenAnswer = {
  status?: number;
  headers?: Record<string, string>;
  json?: unknown;
  text?: string;
  events?: string;
  cut?: boolean;
};

const { url, received, answer } = await useServer();
const BODY = { name: 'Ada', type: 'claude' } as const;
const PARAMS = { params: { path: { agent_id: 'a' } } };
const TASK = { params: { path: { agent_id: 'a', task_id: 't' } } };

const CALLS: Record<string, (fleet: Fleet, ids: string[]) => Promise<unknown>> = {
  get: (fleet) => fleet.get('/agents/{agent_id}', PARAMS),
  list: (fleet) => fleet.get('/agents'),
  create: (fleet) => fleet.post('/agents', { body: BODY }),
  replace: (fleet) => fleet.put('/agents/{agent_id}', { ...PARAMS, body: BODY }),
  lease: (fleet) => fleet.post('/leases', { body: { worker_id: 'w' } }),
  wait: (fleet) => fleet.waitForTask({ agentId: 'a', taskId: 't' }),
  async pages(fleet, ids) {
    for await (const { id } of fleet.paginate('/tasks', { params: { query: { limit: 2 } } })) ids.push(String(id));
  },
  async follow(fleet, ids) {
    for await (const { id } of fleet.events('/agents/{agent_id}/tasks/{task_id}/events', TASK)) ids.push(id);
  },
};

function toAnswer(given: 'cut' | GivenAnswer): Answer {
  if (given === 'cut' || given.events === undefined) return given;
  const { events, cut } = given;
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(events, () => setTimeout(() => (cut ? response.destroy() : response.end()), cut ? 200 : 0));
  };
}

test.each(cases as Case[])('$name', async ({ call, retries, answers, requests, keys, paths, ...expected }) => {
  answer(...answers.map(toAnswer));
  const ids: string[] = [];
  const fleet = createFleet({ url, apiKey: 'key', retries });
  const error = await CALLS[call]?.(fleet, ids).then(
    () => undefined,
    ({ status, code, message, body, requestId, fields, retryAfterSeconds, ...rest }: FleetError) => ({
      ...{ status, code, message, body, requestId, fields, retryAfterSeconds: retryAfterSeconds ?? null },
      isUnavailable: rest.name === FleetUnavailableError.name,
    }),
  );
  const sent = {
    requests: received.length,
    keys: new Set(received.map(({ headers }) => headers['idempotency-key'])).size,
    paths: received.map((request) => request.url),
    lastEventIds: received.map(({ headers }) => headers['last-event-id'] ?? null),
  };
  const { name, error: expectedError, ...rest } = expected;
  if (expectedError === undefined) expect(error).toBeUndefined();
  else expect(error).toMatchObject(expectedError);
  expect({ ...sent, ids }).toMatchObject(JSON.parse(JSON.stringify({ requests, keys, paths, ...rest })));
});
