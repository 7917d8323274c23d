import { describe } from '@jest/globals';
import { Api } from './harness/api.ts';
import { specifyTaskTimes } from './spec/tasks/task-times.ts';
import { specifyWaits } from './spec/waits.ts';

const api = Api.duringTests();

// The tests mostly wait, so they run concurrently.
describe('Waits:', () => specifyWaits(api));
describe('Time:', () => specifyTaskTimes(api));
