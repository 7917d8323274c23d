import { afterAll, beforeAll } from '@jest/globals';
import { Api } from '../harness/api.ts';
import { FleetProgram } from './fleet-program.ts';
import { specifyCommands } from './specify-commands.ts';

const api = new Api();
const program = new FleetProgram();
beforeAll(() => api.open(), 180_000);
afterAll(() => api.close(), 180_000);

// The other one runs with the quick tests.
specifyCommands(api, program, ['pipe', 'terminal', 'terminal --json']);
