import { describe } from '@jest/globals';
import { Api } from './harness/api.ts';
import { specifyUnknownFields } from './spec/identity/bodies.ts';
import { specifyLimitedKeys } from './spec/identity/limited-keys.ts';
import { specifyRoles } from './spec/identity/roles.ts';

const api = Api.duringTests();

describe('Roles and scopes:', () => specifyRoles(api));
describe('Keys limited to agents:', () => specifyLimitedKeys(api));
describe('A body that is no object, or has an unknown field,', () => specifyUnknownFields(api));
