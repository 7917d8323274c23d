import { afterAll, beforeAll, describe } from '@jest/globals';
import { Api } from './harness/api.ts';
import { specifyUnknownFields } from './spec/identity/bodies.ts';
import { specifyLimitedKeys } from './spec/identity/limited-keys.ts';
import { specifyRoles } from './spec/identity/roles.ts';

const api = new Api();
beforeAll(() => api.open(), 180_000);
afterAll(() => api.close(), 180_000);

describe('Roles and scopes:', () => specifyRoles(api));
describe('Keys limited to agents:', () => specifyLimitedKeys(api));
describe('An unknown field in a body', () => specifyUnknownFields(api));
