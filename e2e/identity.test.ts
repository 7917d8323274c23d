import { describe, expect, test } from '@jest/globals';
import { Api } from './harness/api.ts';
import { printedBy } from './harness/shared-fleet.ts';
import { CONTROLS_PROCESSES, logOmittedTests } from './harness/system.ts';
import { specifyApiKeys } from './spec/identity/api-keys.ts';
import { specifyAudit } from './spec/identity/audit.ts';
import { specifyEnumeration } from './spec/identity/enumeration.ts';
import { specifyPasswordResets } from './spec/identity/password-resets.ts';
import { specifyRefreshTokens } from './spec/identity/refresh-tokens.ts';
import { specifySessions } from './spec/identity/sessions.ts';
import { specifySignInLimits } from './spec/identity/sign-in-limits.ts';
import { specifyUsers } from './spec/identity/users.ts';

const api = Api.duringTests();

describe('Users:', () => specifyUsers(api));
describe('Reset codes:', () => specifyPasswordResets(api));
describe('API keys:', () => specifyApiKeys(api));
describe('Sessions:', () => specifySessions(api));
describe('Tokens:', () => specifyRefreshTokens(api));
describe('Audit:', () => specifyAudit(api));
describe('Enumeration:', () => specifyEnumeration(api));

if (CONTROLS_PROCESSES) {
  describe('Failed sign-ins:', () => specifySignInLimits(api));
  test('no log of any process has a password, token, key, cookie or reset code', () => {
    const printed = printedBy(api.place);
    expect(printed.length).toBeGreaterThan(100_000);
    const { secrets } = api.accounts;
    expect(secrets.size).toBeGreaterThan(100);
    expect([...secrets].filter((secret) => printed.includes(secret) || printed.includes(encodeURI(secret)))).toEqual(
      [],
    );
  });
} else {
  logOmittedTests('secrets in logs, limits of failed sign-ins, trusted proxies');
}
