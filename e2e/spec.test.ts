import { describe } from '@jest/globals';
import { Api } from './harness/api.ts';
import { CONTROLS_PROCESSES, logOmittedTests } from './harness/system.ts';
import { specifyAgents } from './spec/agents.ts';
import { specifyBodies } from './spec/bodies.ts';
import { specifyConditions } from './spec/conditions.ts';
import { specifyCredentials } from './spec/credentials.ts';
import { specifyPages } from './spec/pages.ts';
import { specifyPaths } from './spec/paths.ts';
import { specifyRegistry } from './spec/registry.ts';
import { specifyRegistryCache } from './spec/registry-cache.ts';
import { specifySignIn } from './spec/sign-in.ts';
import { specifyTaskValidation } from './spec/tasks/task-validation.ts';
import { specifyTasks } from './spec/tasks/tasks.ts';
import { specifyTokens } from './spec/tokens.ts';

const api = Api.duringTests();

describe('Agents:', () => specifyAgents(api));
describe('Conditional requests:', () => specifyConditions(api));
describe('Tasks:', () => specifyTasks(api));
describe('An invalid task is 400 with the names of its fields:', () => specifyTaskValidation(api));
describe('The registry:', () => specifyRegistry(api));
describe('The registry, cached:', () => specifyRegistryCache(api));
describe('Signing in:', () => specifySignIn(api));
describe('Credentials:', () => specifyCredentials(api));
describe('Pages:', () => specifyPages(api));
describe('Paths:', () => specifyPaths(api));
describe('Bodies:', () => specifyBodies(api));

if (CONTROLS_PROCESSES) describe('Tokens:', () => specifyTokens(api));
else logOmittedTests('tokens signed with the secret, the bytes of a known registry file');
