import { describe } from '@jest/globals';
import { Api } from './harness/api.ts';
import { specifyUnknownFields } from './spec/identity/bodies.ts';
import { specifyLimitedKeys } from './spec/identity/limited-keys.ts';
import { specifyRoles } from './spec/identity/roles.ts';
import { specifyUnknownIds } from './spec/unknown-ids.ts';

const api = Api.duringTests();

describe('Roles and scopes:', () => specifyRoles(api));
describe('Keys limited to agents:', () => specifyLimitedKeys(api));
describe('A body that is no object, or has an unknown field,', () => specifyUnknownFields(api));
describe('An id that no record has', () => specifyUnknownIds(api));
