import { describe } from '@jest/globals';
import { Api } from './harness/api.ts';
import { CONTROLS_PROCESSES, logOmittedTests } from './harness/system.ts';
import { specifyLastAdmin } from './spec/identity/last-admin.ts';
import { specifyLists } from './spec/lists.ts';
import { specifySeries } from './spec/stats/series.ts';
import { specifyStats } from './spec/stats/stats.ts';

// These rules count all agents, tasks or users, so this fleet is theirs alone.
const api = Api.duringTests({});

describe('The list of', () => specifyLists(api));
describe('Statistics:', () => specifyStats(api));
describe('Series:', () => specifySeries(api));
if (CONTROLS_PROCESSES) describe('Admins:', () => specifyLastAdmin(api));
else logOmittedTests('the last admin');
