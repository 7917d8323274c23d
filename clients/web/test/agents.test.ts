import { describe, expect, test } from '@jest/globals';
import {
  agentRequests,
  leasedTasksQuery,
  leasesQuery,
  toAgentsQuery,
  workersRequests,
} from '../src/requests/agents.ts';

const read = (text: string) => new URLSearchParams(text);

describe('The list of agents', () => {
  test('has the newest 25 of all agents by default', () => {
    expect(toAgentsQuery(read(''))).toEqual({
      order: 'desc',
      skip: 0,
      limit: 25,
      fields: 'name,type,status,created_at,paused_at',
    });
  });

  test('is filtered by what the address says, under the names of the API', () => {
    expect(toAgentsQuery(read('status=idle&type=a%26b&paused=false&order=asc&skip=50&limit=10'))).toMatchObject({
      status: 'idle',
      type: 'a&b',
      paused: false,
      order: 'asc',
      skip: 50,
      limit: 10,
    });
  });
});

test('The page of an agent requests the agent, its pause, its tasks and its times', () => {
  const requests = agentRequests(read('window=86400'), ['agents', 'a1']);
  expect(requests.slice(0, 2)).toEqual(['/agents/a1', '/agents/a1/pause?optional=true']);
  expect(requests[2]).toMatch(/^\/tasks\?agent_id=a1&order=desc&skip=0&limit=20&/);
  expect(requests[3]).toBe('/stats/series?window=86400&step=900&agent_id=a1');
});

test('The page of the workers has leases of all of them, or of the one that the address names', () => {
  expect(leasesQuery(read('skip=50'))).toEqual({ skip: 0, limit: 50 });
  expect(leasesQuery(read('worker_id=a%2Fb&lease_skip=50'))).toEqual({ worker_id: 'a/b', skip: 50, limit: 50 });
  expect(workersRequests(read('worker_id=a%2Fb&skip=50'))).toEqual([
    '/workers?skip=50&limit=50',
    '/leases?worker_id=a%2Fb&skip=0&limit=50',
  ]);
});

test('Leases and their tasks go on after the task that the address names', () => {
  const address = read('worker_id=a&lease_skip=50&lease_after=t50');
  expect(leasesQuery(address)).toEqual({ worker_id: 'a', after: 't50', limit: 50 });
  expect(leasedTasksQuery(address)).toEqual({ ...leasesQuery(address), status: 'running', fields: 'message' });
});
