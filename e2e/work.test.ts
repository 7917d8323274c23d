import { afterAll, beforeAll, describe } from '@jest/globals';
import { Api } from './harness/api.ts';
import { specifyEventStreams } from './spec/event-streams.ts';
import { specifyEvents } from './spec/events.ts';
import { specifyIdempotency } from './spec/idempotency.ts';
import { specifyLeaseResults } from './spec/lease-results.ts';
import { specifyLeases } from './spec/leases.ts';
import { specifyTaskBatches } from './spec/tasks/task-batches.ts';
import { specifyTaskCancellation } from './spec/tasks/task-cancellation.ts';
import { specifyTaskChanges } from './spec/tasks/task-changes.ts';
import { specifyTaskRetries } from './spec/tasks/task-retries.ts';
import { specifyTaskSearch } from './spec/tasks/task-search.ts';

const api = new Api();
beforeAll(() => api.open(), 180_000);
afterAll(() => api.close(), 180_000);

describe('Task changes:', () => specifyTaskChanges(api));
describe('Cancellation:', () => specifyTaskCancellation(api));
describe('Retries:', () => specifyTaskRetries(api));
describe('Batches:', () => specifyTaskBatches(api));
describe('Search:', () => specifyTaskSearch(api));
describe('Idempotency:', () => specifyIdempotency(api));
describe('Leases:', () => specifyLeases(api));
describe('Held leases:', () => specifyLeaseResults(api));
describe('Events:', () => specifyEvents(api));
describe('Event streams:', () => specifyEventStreams(api));
