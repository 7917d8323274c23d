import { afterAll, beforeAll, describe } from '@jest/globals';
import { Api } from './harness/api.ts';
import { specifyTaskTimes } from './spec/tasks/task-times.ts';
import { specifyWaits } from './spec/waits.ts';

const api = new Api();
beforeAll(() => api.open(), 180_000);
afterAll(() => api.close(), 180_000);

// The tests mostly wait, so they run concurrently.
describe('Waits:', () => specifyWaits(api));
describe('Time:', () => specifyTaskTimes(api));
