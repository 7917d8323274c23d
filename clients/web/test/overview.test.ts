import { describe, expect, test } from '@jest/globals';
import { eventWords } from '../src/activity/event-words.ts';
import { type QueueDetails, toQueues, unservedTypes, type WorkerInfo } from '../src/pages/overview/queues.ts';
import { overviewRequests, seriesRequest, WINDOWS, windowOf } from '../src/requests/series.ts';
import { type Waiting, waitingWords } from '../src/tasks/waiting.ts';

const AT = '2026-11-25T12:00:00.000Z';
const OLDEST = { type: 'gpt', agent_id: 'a1', task_id: 't1', created_at: AT };
const NOTHING = {
  attempts: 0,
  input_tokens: 0,
  cached_input_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  cost: { amount: 0, currency: 'USD' as const, estimated: false },
};
const STATS = {
  at: AT,
  agents: {
    total: 3,
    by_status: { idle: 3, active: 0, waiting: 0, error: 0, offline: 0 },
    by_type: { claude: 2, gpt: 1 },
  },
  tasks: {
    total: 9,
    by_status: { pending: 1, running: 0, input_required: 0, completed: 8, failed: 0, cancelled: 0 },
    by_type: { claude: 5, gpt: 4 },
  },
  oldest_pending: [OLDEST],
  leases: 0,
  workers: 0,
  usage: { total: NOTHING, by_type: {}, by_model: [], by_agent: [] },
};

function worker(fields: Partial<WorkerInfo>): WorkerInfo {
  return {
    worker_id: 'w',
    types: [],
    agent_ids: [],
    first_seen_at: AT,
    last_seen_at: AT,
    polling: true,
    leases: 0,
    completed: 0,
    failed: 0,
    accepts: [],
    labels: [],
    paused: [],
    client: null,
    ...fields,
  };
}

describe('The window of the plots', () => {
  test('is one that the address names, else an hour', () => {
    expect(windowOf(new URLSearchParams('window=86400')).label).toBe('24 h');
    for (const text of ['', 'window=', 'window=60', 'window=x']) {
      expect(windowOf(new URLSearchParams(text)).label).toBe('1 h');
    }
  });

  test('has steps that the API takes: whole minutes that divide it, at most 720', () => {
    for (const { window, step } of WINDOWS) {
      expect([step % 60, window % step]).toEqual([0, 0]);
      expect(window / step).toBeLessThanOrEqual(720);
    }
  });

  test('is part of the first requests', () => {
    expect(overviewRequests(new URLSearchParams('window=21600'))).toContain('/stats/series?window=21600&step=300');
    expect(seriesRequest(new URLSearchParams(), 'a/b')).toBe('/stats/series?window=3600&step=60&agent_id=a%2Fb');
  });
});

describe('Queues', () => {
  test('are one for each type, with the workers that ask for its tasks', () => {
    const workers = [worker({ types: ['claude', 'gpt'] }), worker({ types: ['claude'], polling: false })];
    expect(toQueues(STATS, workers)).toEqual([
      { type: 'claude', agents: 2, tasks: 5, oldest: undefined, workers: 1 },
      { type: 'gpt', agents: 1, tasks: 4, oldest: OLDEST, workers: 1 },
    ]);
  });

  test('need workers for the present types of the agents whose tasks no worker takes, each named once', () => {
    const waiting: Waiting = { reason: 'no_worker', since: null };
    const details = (unservedType?: string): QueueDetails => ({ pending: 1, waiting, unservedType });
    const stats = { ...STATS, oldest_pending: [{ ...OLDEST, type: 'claude' }, OLDEST] };
    const typesOf = (claude: QueueDetails, gpt: QueueDetails, { oldest_pending } = stats) =>
      unservedTypes(toQueues({ ...STATS, oldest_pending }, []), new Map(Object.entries({ claude, gpt })));
    expect(typesOf(details('gemini'), details('gemini'))).toEqual(['gemini']);
    expect(typesOf(details('gemini'), details('gpt'))).toEqual(['gemini', 'gpt']);
    expect(typesOf(details(), details('gpt'))).toEqual(['gpt']);
    expect(typesOf(details('gemini'), details('gpt'), { ...stats, oldest_pending: [OLDEST] })).toEqual(['gpt']);
    expect(unservedTypes(toQueues(stats, []), new Map())).toEqual([]);
  });

  test('say why the oldest task waits', () => {
    const titleOf = (waiting: Waiting) => waitingWords(waiting).title;
    expect(titleOf({ reason: 'in_line', since: AT, ahead: 0 })).toBe('Next in line');
    expect(titleOf({ reason: 'in_line', since: AT, ahead: 1 })).toBe('1 task of its agent goes first');
    expect(titleOf({ reason: 'in_line', since: AT, ahead: 2 })).toBe('2 tasks of its agent go first');
    expect(titleOf({ reason: 'no_worker', since: null })).toBe('No worker takes tasks of this agent');
    expect(waitingWords({ reason: 'reserved', since: null, worker_id: 'w\u202e', until: AT })).toMatchObject({
      title: 'Waiting for the worker that has its session',
      text: 'It goes on at w⟨U+202E⟩. Any worker may start it',
      at: AT,
    });
  });
});

describe('An event', () => {
  const event = { id: '1', at: AT, agent_id: 'a', task_id: 't' };

  test('is told in words, with what is known of it', () => {
    const error = { code: 'refused', message: 'The model refused', retryable: false };
    expect(eventWords({ ...event, type: 'task.failed', data: { attempt: 1, error } })).toEqual({
      text: 'Task failed',
      tone: 'error',
      detail: 'refused · The model refused',
    });
    const progress = { percent: 40, message: 'Reading' };
    expect(eventWords({ ...event, type: 'task.progress', data: { progress } }).detail).toBe('40 % · Reading');
    expect(eventWords({ ...event, type: 'task.leased', data: { worker_id: 'w1' } }).detail).toBe('w1');
    expect(eventWords({ ...event, type: 'agent.status', status: 'offline' })).toMatchObject({
      text: 'Agent is offline',
      tone: 'warn',
    });
  });

  test('of a type or with data that are unknown is still told', () => {
    expect(eventWords({ ...event, type: 'task.new' as 'task.created', data: { error: null, progress: 7 } })).toEqual({
      text: 'task.new',
      tone: 'neutral',
      detail: undefined,
    });
  });
});
